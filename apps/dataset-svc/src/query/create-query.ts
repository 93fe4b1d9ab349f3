import { createHash } from 'node:crypto';
import { type FieldSelection, fieldsText } from '@esd/record/catalog/chosen-fields';
import { type Filter, filterKey } from '@esd/record/filter/filter';
import { type SortKey, sortText } from '@esd/record/filter/sort-keys';
import { LATEST } from '@esd/record/metadata/dataset-path';
import type { DatasetRevision } from '@esd/dataset-client/dataset-state';
import type { CallContext } from '@esd/service/rpc/rpc-server';
import type { Kysely } from 'kysely';
import type { BulkReads } from '../bulk-reads.ts';
import { findRecordHashes } from '../dataset-log/record-hashes.ts';
import { packRowIds } from '../dataset-log/row-list.ts';
import type { ReadIndex } from '../read-index/read-index.ts';
import { getFrozenRelease } from '../release/release.store.ts';
import type { Tables } from '../tables.ts';
import { hasQuery, hasQueryOfSize, storeQuery, type QueryRow } from './query.store.ts';

export interface QueryInput {
  filter: Filter;
  /** The filter as it was sent, a JSON object. */
  filterJson: string;
  sort: readonly SortKey[];
  fields: FieldSelection;
  /** Identifier or DOI of a release; default: the newest state. */
  version: string | undefined;
  atLeast: DatasetRevision | undefined;
  /** Whether each group of records that repeat each other is one record of the query. */
  once: boolean;
}

interface Sources {
  database: Kysely<Tables>;
  index: Pick<ReadIndex, 'findAll'>;
  bulkReads: BulkReads;
}

const HASHES_A_TURN = 5_000;
const ID_LENGTH = 32;

/**
 * Stores the records that match, in the requested order. The id is derived from the request and the digest of the records, so the same
 * request with the same result is the same query. Throws VERSION_NOT_FOUND, UNAVAILABLE like the index, and RATE_LIMITED.
 */
export async function createQuery(
  { database, index, bulkReads }: Sources,
  input: QueryInput,
  call: CallContext,
): Promise<{ query: QueryRow; created: boolean }> {
  const { filter, filterJson, sort, once } = input;
  const { release, state, rowIds } = await rowsOf({ database, index }, input);
  const { revision } = state;
  const ordered = sort.length === 0 ? rowIds : (await index.findAll(filter, { revision, sort, once })).rowIds;
  const digest = await digestOf(database, bulkReads, rowIds, call);
  const query = {
    ...identityOf(input, digest),
    filter: filterJson,
    version: release?.identifier ?? LATEST,
    revision,
    record_count: rowIds.length,
    row_list: await packRowIds(ordered),
    once,
  };
  return storeQuery(database, query, call);
}

/** Finds the id of the query that `createQuery` would return; undefined if it is not stored. Throws as `createQuery` does. */
export async function findQuery(
  { database, index, bulkReads }: Sources,
  input: Omit<QueryInput, 'filterJson'>,
  call: CallContext,
): Promise<string | undefined> {
  const { rowIds } = await rowsOf({ database, index }, input);
  // The digest reads the hash of each row, and few filters have a query.
  if (!(await hasQueryOfSize(database, rowIds.length))) return undefined;
  const { id } = identityOf(input, await digestOf(database, bulkReads, rowIds, call));
  return (await hasQuery(database, id)) ? id : undefined;
}

async function rowsOf(
  { database, index }: Pick<Sources, 'database' | 'index'>,
  { filter, version, atLeast, once }: Pick<QueryInput, 'filter' | 'version' | 'atLeast' | 'once'>,
) {
  const release = version === undefined ? undefined : await getFrozenRelease(database, version);
  const at = release ? { revision: release.revision } : { atLeast };
  return { release, ...(await index.findAll(filter, { ...at, once })) };
}

/** Returns the members of a query that its request and the digest of its records determine. */
function identityOf({ filter, sort, fields, once }: Omit<QueryInput, 'filterJson'>, digest: string) {
  const [sortKeys, fieldPaths] = [sortText(sort) || null, fieldsText(fields) || null];
  // Queries of all records keep the ids that they had before `once` existed.
  const content = JSON.stringify([filterKey(filter), sortKeys, fieldPaths, digest, ...(once ? ['once'] : [])]);
  const id = createHash('sha256').update(content).digest('hex').slice(0, ID_LENGTH);
  return { id, sort: sortKeys, fields: fieldPaths, digest };
}

/** Computes SHA-256 over the hash of each record (64 hexadecimal digits and a line feed), by ascending record id. */
async function digestOf(
  database: Kysely<Tables>,
  bulkReads: BulkReads,
  rowIds: Int32Array,
  call: CallContext,
): Promise<string> {
  const digest = createHash('sha256');
  const parts = bulkReads.run(call, async function* (turn) {
    for (let start = 0; start < rowIds.length; start += HASHES_A_TURN) {
      call.signal.throwIfAborted();
      yield await turn(() => findRecordHashes(database, [...rowIds.subarray(start, start + HASHES_A_TURN)]));
    }
  });
  for await (const hashes of parts) digest.update(hashes.map((hash) => `${hash.toString('hex')}\n`).join(''));
  return digest.digest('hex');
}
