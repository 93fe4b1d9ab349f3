import { tryWithLock } from '@esd/background/advisory-lock';
import { type PeriodicJob, periodicJob } from '@esd/background/periodic-job';
import type { Logger } from '@esd/service/health/log';
import { recordHash } from '@esd/service/records-digest';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';
import { findBodies } from './dataset-log.store.ts';

const LOCK = 'esd record hashes';
const EVERY_MS = 60_000;
// Bodies are up to 256 KB each.
const ROWS_A_STATEMENT = 300;

/** Keeps the hashes of rows of the log that have none yet. */
export async function insertRecordHashes(
  database: Kysely<Tables>,
  rows: readonly { rowId: number; body: string }[],
): Promise<void> {
  if (rows.length === 0) return;
  const values = rows.map(({ rowId, body }) => ({ row_id: rowId, sha256: recordHash(Buffer.from(body)) }));
  await database
    .insertInto('record_hash')
    .values(values)
    .onConflict((on) => on.doNothing())
    .execute();
}

/** The hashes of rows of the log, in the order asked for; what has none yet is hashed first. */
export async function findRecordHashes(database: Kysely<Tables>, rowIds: readonly number[]): Promise<Buffer[]> {
  if (rowIds.length === 0) return [];
  const read = async () => {
    const rows = await database
      .selectFrom('record_hash')
      .selectAll()
      .where('row_id', '=', sql<number>`any(${rowIds})`)
      .execute();
    return new Map(rows.map((row) => [row.row_id, row.sha256]));
  };
  let found = await read();
  if (found.size < rowIds.length) {
    const known = found;
    await hashRows(
      database,
      rowIds.filter((rowId) => !known.has(rowId)),
    );
    found = await read();
  }
  return rowIds.map((rowId) => {
    const hash = found.get(rowId);
    if (!hash) throw new Error(`the row ${rowId} of the log has no hash`);
    return hash;
  });
}

async function hashRows(database: Kysely<Tables>, rowIds: readonly number[]): Promise<void> {
  for (let start = 0; start < rowIds.length; start += ROWS_A_STATEMENT) {
    const part = rowIds.slice(start, start + ROWS_A_STATEMENT);
    const bodies = await findBodies(database, part);
    await insertRecordHashes(
      database,
      part.map((rowId, at) => ({ rowId, body: bodies[at] ?? '' })),
    );
  }
}

/**
 * Hashes the rows above `after` that have no hash, in parts, until all have one or the signal aborts. Row ids only grow from commit
 * to commit, so that no row comes later below `upTo`.
 */
export async function fillRecordHashes(
  database: Kysely<Tables>,
  after: number,
  signal: AbortSignal,
): Promise<{ hashed: number; upTo: number }> {
  let [hashed, upTo] = [0, after];
  while (!signal.aborted) {
    const rows = await database
      .selectFrom('record_revision')
      .leftJoin('record_hash', 'record_hash.row_id', 'record_revision.row_id')
      .select('record_revision.row_id')
      .where('record_revision.row_id', '>', upTo)
      .where('record_hash.row_id', 'is', null)
      .orderBy('record_revision.row_id')
      .limit(ROWS_A_STATEMENT)
      .execute();
    const rowIds = rows.map((row) => row.row_id);
    await hashRows(database, rowIds);
    hashed += rowIds.length;
    upTo = rowIds.at(-1) ?? upTo;
    if (rowIds.length < ROWS_A_STATEMENT) break;
  }
  return { hashed, upTo };
}

/** Hashes the rows that copies of the release before have written, on one copy at a time. A run that was ended goes on with the next one. */
export function recordHashJob(database: Kysely<Tables>, log: Logger): PeriodicJob {
  let after = 0;
  return periodicJob({
    name: 'record hashes',
    everyMs: EVERY_MS,
    run: async (signal) => {
      const filled = await tryWithLock(database, LOCK, () => fillRecordHashes(database, after, signal));
      if (filled === undefined) return;
      after = filled.upTo;
      if (filled.hashed > 0) log.info({ records: filled.hashed }, 'the hashes of records are filled in');
    },
    log,
  });
}
