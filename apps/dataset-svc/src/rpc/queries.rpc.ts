import { filterFromWire } from '@esd/dataset-client/filter-wire';
import { type Query, QueryServiceService } from '@esd/proto/esd/dataset/v1/queries';
import { type RpcService, rpcService } from '@esd/service/rpc/rpc-server';
import type { Kysely } from 'kysely';
import type { BulkReads } from '../bulk-reads.ts';
import { getHead } from '../dataset-log/dataset-log.store.ts';
import { createQuery, findQuery } from '../query/create-query.ts';
import { getQuery, type QueryRow } from '../query/query.store.ts';
import type { ReadIndex } from '../read-index/read-index.ts';
import type { Tables } from '../tables.ts';
import { readFields, readSortKey } from './read-question.ts';

const EVERY_RECORD = '{}';

export function queriesRpc(database: Kysely<Tables>, index: ReadIndex, bulkReads: BulkReads): RpcService {
  const toMessage = async (row: QueryRow): Promise<Query> => {
    const { datasetId } = await getHead(database);
    return {
      id: row.id,
      filterJson: row.filter,
      sort: row.sort ?? undefined,
      fields: row.fields ?? undefined,
      version: row.version,
      state: { datasetId, revision: row.revision },
      recordCount: row.record_count,
      digest: row.digest,
      createdAt: row.created_at,
      once: row.once,
    };
  };
  return rpcService(QueryServiceService, {
    createQuery: async ({ filter, filterJson = EVERY_RECORD, sort, fields, version, atLeast, once }, context) => {
      const input = {
        filter: filterFromWire(filter),
        filterJson,
        sort: sort.map(readSortKey),
        fields: readFields(fields),
        version,
        atLeast,
        once,
      };
      const { query, created } = await createQuery({ database, index, bulkReads }, input, context);
      return { query: await toMessage(query), created };
    },
    findQuery: async ({ filter, version, atLeast }, context) => {
      const input = { filter: filterFromWire(filter), sort: [], fields: [], version, atLeast, once: false };
      return { id: await findQuery({ database, index, bulkReads }, input, context) };
    },
    getQuery: async ({ id }) => ({ query: await toMessage(await getQuery(database, id)) }),
  });
}
