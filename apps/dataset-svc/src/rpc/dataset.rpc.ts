import type { Kysely } from 'kysely';
import { DatasetServiceService } from '@esd/proto/esd/dataset/v1/dataset';
import { ServiceError } from '@esd/service/errors';
import { type RpcService, rpcService } from '@esd/service/rpc-server';
import { findBodies, getHead, getState, scanBodies } from '../dataset-log/dataset-log.store.ts';
import type { Tables } from '../tables.ts';

const MOST_A_PAGE = 1_000;

/** Reads of the published dataset over gRPC. */
export function datasetRpc(database: Kysely<Tables>): RpcService {
  return rpcService(DatasetServiceService, {
    getHead: async () => ({ state: await getHead(database) }),

    queryRecords: async ({ skip, limit, knownRevision }) => {
      if (skip < 0 || limit < 1 || limit > MOST_A_PAGE) {
        throw new ServiceError('INVALID_PARAMETER', `skip is 0 or more and limit 1 to ${MOST_A_PAGE}.`);
      }
      const state = await getHead(database);
      const known = knownRevision === state.revision;
      // Rows of a revision never change, so the page fits the state that was read before it.
      const bodies = known ? [] : await findBodies(database, state.revision, skip, limit);
      return { state, total: state.recordCount, recordsJson: known ? Buffer.alloc(0) : jsonArray(bodies) };
    },

    scanRecords: async function* ({ revision }) {
      const state = revision === undefined ? await getHead(database) : await getState(database, revision);
      yield { part: { $case: 'state', value: state } };
      for await (const bodies of scanBodies(database, state.revision)) {
        yield { part: { $case: 'records', value: { recordsJson: bodies.map((body) => Buffer.from(body)) } } };
      }
    },
  });
}

function jsonArray(bodies: readonly string[]): Buffer {
  return Buffer.from(`[${bodies.join(',')}]`);
}
