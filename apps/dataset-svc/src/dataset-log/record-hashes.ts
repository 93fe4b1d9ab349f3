import { recordHash } from '@esd/dataset-client/records-digest';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';

export async function insertRecordHashes(
  database: Kysely<Tables>,
  rows: readonly { rowId: number; body: string }[],
): Promise<void> {
  if (rows.length === 0) return;
  const values = rows.map(({ rowId, body }) => ({ row_id: rowId, sha256: recordHash(Buffer.from(body)) }));
  await database.insertInto('record_hash').values(values).execute();
}

/** Finds the hashes of rows of the log, in the order of the ids. */
export async function findRecordHashes(database: Kysely<Tables>, rowIds: readonly number[]): Promise<Buffer[]> {
  if (rowIds.length === 0) return [];
  const rows = await database
    .selectFrom('record_hash')
    .selectAll()
    .where('row_id', '=', sql<number>`any(${rowIds})`)
    .execute();
  const found = new Map(rows.map((row) => [row.row_id, row.sha256]));
  return rowIds.map((rowId) => {
    const hash = found.get(rowId);
    if (!hash) throw new Error(`the row ${rowId} of the log has no hash`);
    return hash;
  });
}
