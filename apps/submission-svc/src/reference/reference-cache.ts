import type { GetListsResponse, ReferenceServiceService } from '@esd/proto/esd/dataset/v1/reference';
import type { AmbiguousText, Lists } from '@esd/proto/esd/dataset/v1/reference';
import { type AmbiguousEntry, indexReferences, type References } from '@esd/record/reference';
import type { Logger } from '@esd/service/log';
import { newRequestId } from '@esd/service/request-id';
import type { CallOptions, RpcClient } from '@esd/service/rpc-client';
import { LIST_NAMES } from './list-names.ts';

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
  let waiting: Promise<References> | undefined;
  const fetchLists = async (call: CallOptions): Promise<References> => {
    const answer = await client.getLists({ lists: [], knownRevision: held?.references.revision }, call);
    // The same revision number of another dataset says nothing.
    const stranger = held !== undefined && held.datasetId !== answer.datasetId;
    const { lists } = stranger ? await client.getLists({ lists: [] }, call) : answer;
    if (lists) held = { datasetId: answer.datasetId, references: indexReferences(toLists(answer, lists)) };
    if (!held) throw new Error('dataset-svc sent no reference lists');
    return held.references;
  };
  const start = (call: CallOptions): Promise<References> => {
    fetching = fetchLists(call).finally(() => {
      fetching = undefined;
    });
    return fetching;
  };
  const refresh = (call: CallOptions): Promise<References> => {
    if (!fetching) return start(call);
    // What is under way may have been read before the change that the caller knows of; those who wait share the next one.
    waiting ??= fetching
      .catch(() => undefined)
      .then(() => {
        waiting = undefined;
        return start(call);
      });
    return waiting;
  };
  const timer = setInterval(() => {
    if (fetching) return;
    start({ requestId: newRequestId() }).catch((err: unknown) => {
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

function toAmbiguous({ list, text, meanings }: AmbiguousText): AmbiguousEntry {
  const name = LIST_NAMES[list];
  if (name === undefined) throw new Error(`an ambiguous text of no list: ${text}`);
  return { list: name, text, meanings };
}
