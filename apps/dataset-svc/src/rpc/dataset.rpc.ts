import { type Filter } from '@esd/record/filter';
import { parseFilter } from '@esd/record/parse-filter';
import type { Kysely } from 'kysely';
import { DatasetServiceService } from '@esd/proto/esd/dataset/v1/dataset';
import { ServiceError } from '@esd/service/errors';
import { type RpcService, rpcService } from '@esd/service/rpc-server';
import { findBodies } from '../dataset-log/dataset-log.store.ts';
import type { ReadIndex } from '../read-index/read-index.ts';
import type { Tables } from '../tables.ts';

const MOST_A_PAGE = 1_000;
const SCAN_CHUNK = 200;

/** Reads of the published dataset over gRPC. */
export function datasetRpc(database: Kysely<Tables>, index: ReadIndex): RpcService {
  return rpcService(DatasetServiceService, {
    getHead: async () => ({ state: await index.state() }),

    queryRecords: async ({ skip, limit, knownRevision, filterJson, atLeastRevision }) => {
      if (skip < 0 || limit < 1 || limit > MOST_A_PAGE) {
        throw new ServiceError('INVALID_PARAMETER', `skip is 0 or more and limit 1 to ${MOST_A_PAGE}.`);
      }
      const filter = readFilter(filterJson);
      if (knownRevision !== undefined) {
        const state = await index.state(atLeastRevision);
        if (state.revision === knownRevision) return { state, total: 0, recordsJson: Buffer.alloc(0) };
      }
      const { state, total, rowIds } = await index.find({ filter, skip, limit, atLeast: atLeastRevision });
      return { state, total, recordsJson: jsonArray(await findBodies(database, rowIds)) };
    },

    scanRecords: async function* ({ revision, filterJson }) {
      const { state, rowIds } = await index.findAll(readFilter(filterJson), revision);
      yield { part: { $case: 'state', value: state } };
      for (let start = 0; start < rowIds.length; start += SCAN_CHUNK) {
        const bodies = await findBodies(database, [...rowIds.subarray(start, start + SCAN_CHUNK)]);
        yield { part: { $case: 'records', value: { recordsJson: bodies.map((body) => Buffer.from(body)) } } };
      }
    },
  });
}

function readFilter(json: string | undefined): Filter {
  if (json === undefined) return [];
  const parsed = parseFilter(json);
  if ('problem' in parsed) throw new ServiceError('INVALID_FILTER', parsed.problem.message);
  return parsed.filter;
}

function jsonArray(bodies: readonly string[]): Buffer {
  return Buffer.from(`[${bodies.join(',')}]`);
}
