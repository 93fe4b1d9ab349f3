import type { Query } from '@esd/proto/esd/dataset/v1/queries';
import { type FieldSelection, parseFields } from '@esd/record/catalog/chosen-fields';
import { shorten } from '@esd/record/validate/problems';
import { ServiceError } from '@esd/service/errors';
import { LRUCache } from 'lru-cache';
import type { Call } from '../http/call.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { DatasetStates } from './dataset-states.ts';

export interface PublicQueries {
  /** Throws QUERY_NOT_FOUND. */
  find(id: string, call: Call): Promise<PublicQuery>;
}

/** A complete query; it never changes. */
export interface PublicQuery extends Query {
  state: NonNullable<Query['state']>;
  createdAt: Date;
}

const ID = /^[0-9a-f]{32}$/;
const CACHE_BYTES = 16 * 1024 * 1024;
/** Approximate memory of a query without its filter. */
const QUERY_BYTES = 2_000;

/** Reads queries from dataset-svc and caches them. */
export function publicQueries(queries: Pick<Upstream['queries'], 'getQuery'>, states: DatasetStates): PublicQueries {
  const cache = new LRUCache<string, PublicQuery>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ filterJson }) => QUERY_BYTES + 2 * filterJson.length,
  });
  return {
    find: async (id, call) => {
      if (!ID.test(id)) throw new ServiceError('QUERY_NOT_FOUND', `There is no query "${shorten(id)}".`);
      const known = cache.get(id);
      // A query of a replaced dataset is no longer valid.
      const dataset = states.latest()?.datasetId;
      if (known && (dataset === undefined || dataset === known.state.datasetId)) return known;
      const found = wholeQuery((await queries.getQuery({ id }, call)).query);
      cache.set(id, found);
      return found;
    },
  };
}

/** Checks that a query is complete. Throws UNAVAILABLE if it is not. */
export function wholeQuery(query: Query | undefined): PublicQuery {
  const { state, createdAt } = query ?? {};
  if (query && state && createdAt) return { ...query, state, createdAt };
  throw new ServiceError('UNAVAILABLE', 'The dataset service did not return the revision of the query. Try again.');
}

/** Returns the fields that a query chooses; undefined for all of them. */
export function fieldsOf({ fields }: Query): FieldSelection | undefined {
  if (fields === undefined) return undefined;
  const parsed = parseFields(fields);
  if ('problem' in parsed) throw new Error(`\`fields\` of the query ${parsed.problem}`);
  return parsed.fields;
}
