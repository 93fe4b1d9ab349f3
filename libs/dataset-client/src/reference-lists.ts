import type { AmbiguousText, GetListsResponse, ReferenceServiceService } from '@esd/proto/esd/dataset/v1/reference';
import { type AmbiguousEntry, indexReferences, type References } from '@esd/record/reference/reference';
import type { CallOptions, RpcClient } from '@esd/service/rpc/rpc-client';
import { listFromWire } from './list-names.ts';

/** The reference lists of a dataset, and which dataset they belong to. */
export interface DatasetReferences {
  datasetId: string;
  references: References;
}

/** The reference lists of dataset-svc, of which this process keeps the newest it has seen. Both calls throw UNAVAILABLE. */
export interface ReferenceLists {
  /** The lists as last seen; fetched first when there are none yet. How old they can be is decided by who refreshes them. */
  current(call: CallOptions): Promise<DatasetReferences>;
  /**
   * The lists as they are now: read after this call began. Callers that come while one fetch is under way share the next;
   * dataset-svc sends the lists only when they have changed.
   */
  refresh(call: CallOptions): Promise<DatasetReferences>;
}

export function openReferenceLists(client: Pick<RpcClient<ReferenceServiceService>, 'getLists'>): ReferenceLists {
  let held: DatasetReferences | undefined;
  let fetching: Promise<DatasetReferences> | undefined;
  let next: Promise<DatasetReferences> | undefined;

  const fetchLists = async ({ requestId, deadline }: CallOptions): Promise<DatasetReferences> => {
    // Without the signal of the caller: others wait for the answer too.
    const call = { requestId, deadline };
    let answer = await client.getLists({ lists: [], knownRevision: held?.references.revision }, call);
    // The same revision number of another dataset says nothing.
    if (!answer.lists && answer.datasetId !== held?.datasetId) answer = await client.getLists({ lists: [] }, call);
    if (answer.lists) held = { datasetId: answer.datasetId, references: referencesOf(answer, answer.lists) };
    if (!held) throw new Error('dataset-svc sent no reference lists');
    return held;
  };
  const start = (call: CallOptions): Promise<DatasetReferences> => {
    fetching = fetchLists(call).finally(() => {
      fetching = undefined;
    });
    return fetching;
  };
  const refresh = (call: CallOptions): Promise<DatasetReferences> => {
    if (!fetching) return start(call);
    // What is under way may have been read before the change that the caller knows of.
    next ??= fetching
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return start(call);
      });
    return next;
  };
  return { current: (call) => (held ? Promise.resolve(held) : refresh(call)), refresh };
}

function referencesOf({ revision }: GetListsResponse, lists: NonNullable<GetListsResponse['lists']>): References {
  return indexReferences({ ...lists, revision, ambiguous: lists.ambiguous.map(ambiguousEntry) });
}

function ambiguousEntry({ list, text, meanings }: AmbiguousText): AmbiguousEntry {
  const name = listFromWire(list);
  if (name === undefined) throw new Error(`an ambiguous text of no list: ${text}`);
  return { list: name, text, meanings };
}
