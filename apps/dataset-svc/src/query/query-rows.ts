import type { Kysely } from 'kysely';
import { LRUCache } from 'lru-cache';
import { type DatasetState, getState } from '../dataset-log/dataset-log.store.ts';
import { unpackRowIds } from '../dataset-log/row-list.ts';
import type { Tables } from '../tables.ts';
import { getQuery, readQueryRows } from './query.store.ts';

export interface QueryRows {
  /** Finds the rows of a query, in its order, and the state from which it was created. Throws QUERY_NOT_FOUND. */
  find(id: string): Promise<{ state: DatasetState; rowIds: Int32Array }>;
}

const MAX_CACHED_BYTES = 32 * 1024 * 1024;

/** Reads the rows of queries; the most recently read lists are cached in memory. */
export function openQueryRows(database: Kysely<Tables>): QueryRows {
  const cache = new LRUCache<string, Int32Array>({
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: ({ byteLength }) => byteLength + 100,
  });
  return {
    find: async (id) => {
      const { revision, created_at: createdAt } = await getQuery(database, id);
      const state = await getState(database, revision);
      // After a restore, the same query may be created again from other rows with the same records.
      const key = `${id} ${createdAt.toISOString()}`;
      const cached = cache.get(key);
      if (cached) return { state, rowIds: cached };
      const rowIds = await unpackRowIds(await readQueryRows(database, id));
      cache.set(key, rowIds);
      return { state, rowIds };
    },
  };
}
