import type { Kysely } from 'kysely';
import { ReferenceList, ReferenceServiceService } from '@esd/proto/esd/dataset/v1/reference';
import { type RpcService, rpcService } from '@esd/service/rpc-server';
import { findLists, getReferenceHead, type Lists } from '../reference/reference.store.ts';
import type { Tables } from '../tables.ts';

const WIRE = {
  polymers: ReferenceList.REFERENCE_LIST_POLYMERS,
  solvents: ReferenceList.REFERENCE_LIST_SOLVENTS,
  units: ReferenceList.REFERENCE_LIST_UNITS,
  morphologies: ReferenceList.REFERENCE_LIST_MORPHOLOGIES,
  instabilities: ReferenceList.REFERENCE_LIST_INSTABILITIES,
  ambiguous: ReferenceList.REFERENCE_LIST_AMBIGUOUS,
} as const satisfies Record<keyof Lists, ReferenceList>;

const names: readonly (keyof Lists)[] = ['polymers', 'solvents', 'units', 'morphologies', 'instabilities', 'ambiguous'];

/** The reference lists over gRPC. */
export function referenceRpc(database: Kysely<Tables>): RpcService {
  return rpcService(ReferenceServiceService, {
    getLists: async ({ lists: asked, knownRevision }) => {
      const head = await getReferenceHead(database);
      if (knownRevision === head.revision) return { ...head, lists: undefined };
      const wanted = names.filter((name) => asked.includes(WIRE[name]));
      const lists = await findLists(database, head.revision, wanted);
      const ambiguous = lists.ambiguous.map((entry) => ({ ...entry, list: WIRE[entry.list] }));
      return { ...head, lists: { ...lists, ambiguous } };
    },
  });
}
