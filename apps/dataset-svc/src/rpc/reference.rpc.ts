import type { Kysely } from 'kysely';
import { ReferenceServiceService } from '@esd/proto/esd/dataset/v1/reference';
import { type RpcService, rpcService } from '@esd/service/rpc-server';
import { findLists, getReferenceHead } from '../reference/reference.store.ts';
import type { Tables } from '../tables.ts';

/** The reference lists over gRPC. */
export function referenceRpc(database: Kysely<Tables>): RpcService {
  return rpcService(ReferenceServiceService, {
    getLists: async ({ lists, knownRevision }) => {
      const head = await getReferenceHead(database);
      if (knownRevision === head.revision) return { ...head, lists: undefined };
      return { ...head, lists: await findLists(database, head.revision, lists) };
    },
  });
}
