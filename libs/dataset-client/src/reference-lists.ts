import type { AmbiguousText, GetListsResponse, ReferenceServiceService } from '@esd/proto/esd/dataset/v1/reference';
import { type AmbiguousEntry, indexReferences, type References } from '@esd/record/reference/reference';
import type { CallOptions, RpcClient } from '@esd/service/rpc/rpc-client';
import { namedListFromWire } from './list-names.ts';

export interface DatasetReferences {
  datasetId: string;
  references: References;
}

/** The reference lists of dataset-svc. This process caches the newest lists. Both methods throw UNAVAILABLE. */
export interface ReferenceLists {
  /** Returns the cached lists; fetches them on the first call. Their age depends on the calls of `refresh`. */
  current(call: CallOptions): Promise<DatasetReferences>;
  /**
   * Returns lists that were read after this call began. Callers during a fetch share the next one. dataset-svc sends the lists only
   * if they have changed.
   */
  refresh(call: CallOptions): Promise<DatasetReferences>;
}

export function openReferenceLists(client: Pick<RpcClient<ReferenceServiceService>, 'getLists'>): ReferenceLists {
  let cached: DatasetReferences | undefined;
  let fetching: Promise<DatasetReferences> | undefined;
  let next: Promise<DatasetReferences> | undefined;

  const fetchLists = async ({ requestId, deadline }: CallOptions): Promise<DatasetReferences> => {
    // Shared call: do not abort it when the first caller disconnects.
    const call = { requestId, deadline };
    let answer = await client.getLists({ lists: [], knownRevision: cached?.references.revision }, call);
    // Revisions of different datasets are not comparable.
    if (!answer.lists && answer.datasetId !== cached?.datasetId) answer = await client.getLists({ lists: [] }, call);
    if (answer.lists) cached = { datasetId: answer.datasetId, references: referencesOf(answer, answer.lists) };
    if (!cached) throw new Error('dataset-svc sent no reference lists');
    return cached;
  };
  const start = (call: CallOptions): Promise<DatasetReferences> => {
    fetching = fetchLists(call).finally(() => {
      fetching = undefined;
    });
    return fetching;
  };
  const refresh = (call: CallOptions): Promise<DatasetReferences> => {
    if (!fetching) return start(call);
    // The running fetch may have read the lists before a change that the caller knows of.
    next ??= fetching
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return start(call);
      });
    return next;
  };
  return { current: (call) => (cached ? Promise.resolve(cached) : refresh(call)), refresh };
}

function referencesOf({ revision }: GetListsResponse, lists: NonNullable<GetListsResponse['lists']>): References {
  return indexReferences({ ...lists, revision, ambiguous: lists.ambiguous.map(ambiguousEntry) });
}

function ambiguousEntry({ list, text, meanings }: AmbiguousText): AmbiguousEntry {
  const name = namedListFromWire(list);
  if (name === undefined) throw new Error(`the ambiguous text "${text}" has no list`);
  return { list: name, text, meanings };
}
