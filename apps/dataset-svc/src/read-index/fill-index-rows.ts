import { parsePublicRecord } from '@esd/record/catalogue/public-record';
import type { References } from '@esd/record/reference/reference';
import type { Kysely, Transaction } from 'kysely';
import { lockHead } from '../dataset-log/dataset-log.store.ts';
import { referencesAt } from '../reference/references-at.ts';
import type { Tables } from '../tables.ts';
import { insertIndexRows } from './index-row.store.ts';

const CHUNK = 500;

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
        .select(['row_id', 'record_id', 'valid_from', 'valid_to', 'body'])
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
        await insertIndexRows(
          transaction,
          group.map(({ row_id, record_id, valid_from, valid_to, body }) => ({
            rowId: row_id,
            recordId: record_id,
            validFrom: valid_from,
            validTo: valid_to,
            data: parsePublicRecord(body).data,
          })),
          references,
        );
      }
      return rows.length;
    });
    if (added === 0) return filled;
    filled += added;
  }
}

/** Rows, ordered by the revision of their publication, with the lists of that time: what they were indexed with then. */
async function byLists<Row extends { valid_from: number }>(
  transaction: Transaction<Tables>,
  rows: readonly Row[],
): Promise<Map<References, Row[]>> {
  const groups = new Map<References, Row[]>();
  let references: References | undefined;
  for (const [validFrom, published] of Map.groupBy(rows, (row) => row.valid_from)) {
    references = await referencesAt(transaction, validFrom, references);
    groups.set(references, [...(groups.get(references) ?? []), ...published]);
  }
  return groups;
}
