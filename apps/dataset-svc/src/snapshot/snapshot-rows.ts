import { LRUCache } from 'lru-cache';
import type { Kysely } from 'kysely';
import { type DatasetState, getState } from '../dataset-log/dataset-log.store.ts';
import { unpackRowIds } from '../dataset-log/row-list.ts';
import type { Tables } from '../tables.ts';
import { findSnapshotState, readSnapshotRows } from './snapshot.store.ts';

export interface RowsOfSnapshot {
  state: DatasetState;
  /** Ids of rows of record_revision, by ascending record id. */
  rowIds: Int32Array;
}

export interface SnapshotRows {
  /** Finds the stored rows of a snapshot. Throws SNAPSHOT_NOT_FOUND. */
  find(snapshotId: number): Promise<RowsOfSnapshot>;
}

const MAX_CACHED_BYTES = 32 * 1024 * 1024;

/** Reads the rows of snapshots; the most recently read lists are cached in memory. */
export function openSnapshotRows(database: Kysely<Tables>): SnapshotRows {
  const cache = new LRUCache<string, Int32Array>({
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: ({ byteLength }) => byteLength + 100,
  });
  return {
    find: async (snapshotId) => {
      const { revision, created_at: createdAt } = await findSnapshotState(database, snapshotId);
      const state = await getState(database, revision);
      // After a restore, the same id may belong to another snapshot.
      const key = `${snapshotId} ${createdAt.toISOString()}`;
      const cached = cache.get(key);
      if (cached) return { state, rowIds: cached };
      const rowIds = await unpackRowIds(await readSnapshotRows(database, snapshotId));
      cache.set(key, rowIds);
      return { state, rowIds };
    },
  };
}
