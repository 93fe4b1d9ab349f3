import { LRUCache } from 'lru-cache';
import { parseFilter } from '@esd/record/filter/parse-filter';
import { ServiceError } from '@esd/service/errors';
import type { Logger } from '@esd/service/health/log';
import type { Kysely } from 'kysely';
import { type DatasetState, getState } from '../dataset-log/dataset-log.store.ts';
import type { ReadIndex } from '../read-index/read-index.ts';
import type { Tables } from '../tables.ts';
import { packRowIds, unpackRowIds } from '../dataset-log/row-list.ts';
import { findSnapshotRows, findSnapshotsWithoutRows, insertSnapshotRows, type StoredRows } from './snapshot.store.ts';

/** The records of a snapshot. */
export interface RowsOfSnapshot {
  state: DatasetState;
  /** Ids of rows of record_revision, by ascending record id. */
  rowIds: Int32Array;
}

export interface SnapshotRows {
  /**
   * The records that a snapshot was made with. Throws SNAPSHOT_NOT_FOUND, UNAVAILABLE where those of one of a former release
   * cannot be found yet.
   */
  find(snapshotId: number): Promise<RowsOfSnapshot>;
  /** Fills in the lists of snapshots of the release before, one after the other; returns how many there were. */
  fillMissing(signal: AbortSignal): Promise<number>;
}

const MAX_CACHED_BYTES = 32 * 1024 * 1024;
const BATCH = 100;

/** The rows of snapshots: read from their lists, of which the last ones read are kept in memory. */
export function openSnapshotRows(database: Kysely<Tables>, index: ReadIndex, log: Logger): SnapshotRows {
  const cache = new LRUCache<string, Int32Array>({
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: ({ byteLength }) => byteLength + 100,
  });

  /** The rows of a snapshot without a list, which the release before made: what its filter found by the rules of then. */
  const search = async ({ id, filter: json, revision, record_count: recordCount }: StoredRows): Promise<Int32Array> => {
    const parsed = parseFilter(json, 1);
    if ('problem' in parsed) throw new Error(`the filter of snapshot ${id}: ${parsed.problem.message}`);
    const { rowIds } = await index.findAll(parsed.filter, { revision });
    if (rowIds.length !== recordCount) {
      log.error(
        { snapshot: id, recordCount, found: rowIds.length },
        'a snapshot was made with another number of records',
      );
    }
    await insertSnapshotRows(database, id, await packRowIds(rowIds));
    return rowIds;
  };

  return {
    find: async (snapshotId) => {
      const stored = await findSnapshotRows(database, snapshotId);
      const state = await getState(database, stored.revision);
      // A database that was restored may give an id to another snapshot.
      const key = `${snapshotId} ${stored.created_at.toISOString()}`;
      const cached = cache.get(key);
      if (cached) return { state, rowIds: cached };
      const packed = await stored.readList();
      const rowIds = packed === undefined ? await search(stored) : await unpackRowIds(packed);
      cache.set(key, rowIds);
      return { state, rowIds };
    },
    fillMissing: async (signal) => {
      let filled = 0;
      for (let after = 0; ;) {
        const missing = await findSnapshotsWithoutRows(database, after, BATCH);
        for (const one of missing) {
          if (signal.aborted) return filled;
          after = one.id;
          try {
            await search(one);
            filled += 1;
          } catch (err) {
            // The index is not ready yet: the next run goes on.
            if (err instanceof ServiceError) throw err;
            log.error({ err, snapshot: one.id }, 'the records of a snapshot cannot be found');
          }
        }
        if (missing.length < BATCH) return filled;
      }
    },
  };
}
