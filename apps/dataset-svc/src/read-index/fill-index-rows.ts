import { setTimeout as sleep } from 'node:timers/promises';
import { parsePublicRecord } from '@esd/record/catalogue/public-record';
import type { References } from '@esd/record/reference/reference';
import type { Kysely } from 'kysely';
import { lockHead } from '../dataset-log/dataset-log.store.ts';
import type { RecordRevisionTable } from '../dataset-log/dataset-log.table.ts';
import { referencesAt } from '../reference/references-at.ts';
import type { Tables } from '../tables.ts';
import { hasOlderRules, insertIndexRows, type LogRow, makeIndexRows, replaceIndexRows } from './index-row.store.ts';

const CHUNK = 500;
const BUSY_MS = 100;

/**
 * Adds what the read index is filled from for rows of the log that lack it: those from before there was an index, and all
 * of them once the table was emptied to be made anew. Returns how many there were.
 */
export async function fillIndexRows(database: Kysely<Tables>): Promise<number> {
  for (let filled = 0; ;) {
    const added = await database.transaction().execute(async (transaction) => {
      await lockHead(transaction);
      const rows = await transaction
        .selectFrom('record_revision')
        .select(['row_id', 'record_id', 'valid_from', 'valid_to', 'approved_at', 'body'])
        .where((on) =>
          on.not(
            on.exists(
              on
                .selectFrom('index_row')
                .select('index_row.row_id')
                .whereRef('index_row.row_id', '=', 'record_revision.row_id'),
            ),
          ),
        )
        .orderBy('valid_from')
        .limit(CHUNK)
        .execute();
      if (rows.length === 0) return 0;
      for (const [references, group] of await byLists(transaction, rows)) {
        await insertIndexRows(transaction, group.map(toLogRow), references);
      }
      return rows.length;
    });
    if (added === 0) return filled;
    filled += added;
  }
}

/**
 * Makes rows again that a release with older rules made, each with the lists of the revision of its publication, without the
 * head's lock: appending goes on meanwhile. Returns how many there were.
 */
export async function refreshIndexRows(database: Kysely<Tables>): Promise<number> {
  for (let refreshed = 0; ;) {
    const rows = await database
      .selectFrom('index_row')
      .innerJoin('record_revision', 'record_revision.row_id', 'index_row.row_id')
      .select(['index_row.row_id', 'index_row.record_id', 'index_row.valid_from', 'index_row.valid_to'])
      .select(['record_revision.approved_at', 'record_revision.body'])
      .where(hasOlderRules)
      .orderBy('index_row.valid_from')
      .limit(CHUNK)
      .execute();
    if (rows.length === 0) return refreshed;
    let replaced = 0;
    for (const [references, group] of await byLists(database, rows)) {
      replaced += await replaceIndexRows(database, await makeIndexRows(database, group.map(toLogRow), references));
    }
    refreshed += replaced;
    // Another copy makes them at the moment.
    if (replaced === 0) await sleep(BUSY_MS);
  }
}

type StoredRow = Pick<RecordRevisionTable, 'record_id' | 'valid_from' | 'valid_to' | 'approved_at' | 'body'> & {
  row_id: number;
};

function toLogRow(row: StoredRow): LogRow {
  return {
    rowId: row.row_id,
    recordId: row.record_id,
    validFrom: row.valid_from,
    validTo: row.valid_to,
    approvedAt: row.approved_at,
    data: parsePublicRecord(row.body).data,
  };
}

/** Rows, ordered by the revision of their publication, with the lists of that time: what they were indexed with then. */
async function byLists<Row extends { valid_from: number }>(
  database: Kysely<Tables>,
  rows: readonly Row[],
): Promise<Map<References, Row[]>> {
  const groups = new Map<References, Row[]>();
  let references: References | undefined;
  for (const [validFrom, published] of Map.groupBy(rows, (row) => row.valid_from)) {
    references = await referencesAt(database, validFrom, references);
    groups.set(references, [...(groups.get(references) ?? []), ...published]);
  }
  return groups;
}
