import type { GetListsResponse, ReferenceServiceService } from '@esd/proto/esd/dataset/v1/reference';
import { type AmbiguousText, type Lists, ReferenceList } from '@esd/proto/esd/dataset/v1/reference';
import { type AmbiguousEntry, indexReferences, type ListName, type References } from '@esd/record/reference';
import type { Logger } from '@esd/service/log';
import { newRequestId } from '@esd/service/request-id';
import type { CallOptions, RpcClient } from '@esd/service/rpc-client';

const EVERY_MS = 1_000;

/** The reference lists of dataset-svc, kept up to date. */
export interface ReferenceCache {
  /** The lists as last seen, at most about a second old; fetched first when there are none yet. */
  current(call: CallOptions): Promise<References>;
  /** The lists as they are now. Throws UNAVAILABLE when dataset-svc cannot be reached. */
  refresh(call: CallOptions): Promise<References>;
  stop(): void;
}

/** Keeps a copy of the reference lists and asks each second whether they have changed. */
export function keepReferences(client: RpcClient<ReferenceServiceService>, log: Logger): ReferenceCache {
  let held: { datasetId: string; references: References } | undefined;
  let fetching: Promise<References> | undefined;
  const fetchLists = async (call: CallOptions): Promise<References> => {
    const answer = await client.getLists({ lists: [], knownRevision: held?.references.revision }, call);
    // The same revision number of another dataset says nothing.
    const stranger = held !== undefined && held.datasetId !== answer.datasetId;
    const { lists } = stranger ? await client.getLists({ lists: [] }, call) : answer;
    if (lists) held = { datasetId: answer.datasetId, references: indexReferences(toLists(answer, lists)) };
    if (!held) throw new Error('dataset-svc sent no reference lists');
    return held.references;
  };
  const refresh = (call: CallOptions): Promise<References> => {
    fetching ??= fetchLists(call).finally(() => {
      fetching = undefined;
    });
    return fetching;
  };
  const timer = setInterval(() => {
    refresh({ requestId: newRequestId() }).catch((err: unknown) => {
      log.debug({ err }, 'the reference lists could not be refreshed');
    });
  }, EVERY_MS);
  return {
    current: (call) => (held ? Promise.resolve(held.references) : refresh(call)),
    refresh,
    stop: () => {
      clearInterval(timer);
    },
  };
}

function toLists({ revision }: GetListsResponse, lists: Lists) {
  return { ...lists, revision, ambiguous: lists.ambiguous.map(toAmbiguous) };
}

const LIST_NAMES: Readonly<Record<ReferenceList, ListName | undefined>> = {
  [ReferenceList.REFERENCE_LIST_UNSPECIFIED]: undefined,
  [ReferenceList.REFERENCE_LIST_POLYMERS]: 'polymers',
  [ReferenceList.REFERENCE_LIST_SOLVENTS]: 'solvents',
  [ReferenceList.REFERENCE_LIST_UNITS]: 'units',
  [ReferenceList.REFERENCE_LIST_MORPHOLOGIES]: 'morphologies',
  [ReferenceList.REFERENCE_LIST_INSTABILITIES]: 'instabilities',
  [ReferenceList.REFERENCE_LIST_AMBIGUOUS]: undefined,
};

function toAmbiguous({ list, text, meanings }: AmbiguousText): AmbiguousEntry {
  const name = LIST_NAMES[list];
  if (name === undefined) throw new Error(`an ambiguous text of no list: ${text}`);
  return { list: name, text, meanings };
}
