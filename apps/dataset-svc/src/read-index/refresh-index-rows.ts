import { setTimeout as sleep } from 'node:timers/promises';
import { parsePublicRecord } from '@esd/record/catalog/public-record';
import type { References } from '@esd/record/reference/reference';
import type { Kysely } from 'kysely';
import { lockHead } from '../dataset-log/dataset-log.store.ts';
import type { RecordRevisionTable } from '../dataset-log/dataset-log.table.ts';
import { referencesAt } from '../reference/references-at.ts';
import type { Tables } from '../tables.ts';
import { hasOlderRules, type LogRow, makeIndexRows, replaceIndexRows } from './index-row.store.ts';

const CHUNK = 500;
const BUSY_MS = 100;

/** Derives rows of older rules again. Locks the head only while it gives ids to new texts. Returns the number of rows. */
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
      const derived = await database.transaction().execute(async (transaction) => {
        // An append holds this lock from its first term to its commit. Without it, a higher id could be visible first, and
        // `newTerms` of a replica would miss the lower one.
        await lockHead(transaction);
        return makeIndexRows(transaction, group.map(toLogRow), references);
      });
      replaced += await replaceIndexRows(database, derived);
    }
    refreshed += replaced;
    // Another replica is deriving them.
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

/** Groups rows, ordered by the revision that published them, by the lists of that revision. */
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
