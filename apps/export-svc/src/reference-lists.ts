import {
  type AmbiguousText,
  type GetListsResponse,
  ReferenceList,
  type ReferenceServiceService,
} from '@esd/proto/esd/dataset/v1/reference';
import { type AmbiguousEntry, indexReferences, type ListName, type References } from '@esd/record/reference';
import type { CallOptions, RpcClient } from '@esd/service/rpc-client';

/** The newest reference lists, and which dataset they are of. */
export interface NewestLists {
  datasetId: string;
  references: References;
}

export type ReferenceReader = Pick<RpcClient<ReferenceServiceService>, 'getLists'>;

/** Asks dataset-svc for the newest reference lists, which sends them only when they have changed since. Throws UNAVAILABLE. */
export function newestLists(reference: ReferenceReader): (call: CallOptions) => Promise<NewestLists> {
  let held: NewestLists | undefined;
  return async (call) => {
    let answer = await reference.getLists({ lists: [], knownRevision: held?.references.revision }, call);
    // The same revision number of another dataset says nothing.
    if (!answer.lists && answer.datasetId !== held?.datasetId) answer = await reference.getLists({ lists: [] }, call);
    if (answer.lists) held = { datasetId: answer.datasetId, references: referencesOf(answer) };
    if (!held) throw new Error('dataset-svc sent no reference lists');
    return held;
  };
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

function referencesOf({ revision, lists }: GetListsResponse): References {
  if (!lists) throw new Error('an answer without lists');
  return indexReferences({ ...lists, revision, ambiguous: lists.ambiguous.map(ambiguousOf) });
}

function ambiguousOf({ list, text, meanings }: AmbiguousText): AmbiguousEntry {
  const name = LIST_NAMES[list];
  if (name === undefined) throw new Error(`an ambiguous text of no list: ${text}`);
  return { list: name, text, meanings };
}
