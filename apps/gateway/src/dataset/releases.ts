import type { DatasetRevision } from '@esd/dataset-client/dataset-state';
import type { Release } from '@esd/proto/esd/dataset/v1/releases';
import { ServiceError } from '@esd/service/errors';
import { SharedCalls } from '@esd/service/rpc/shared-calls';
import { LRUCache } from 'lru-cache';
import { textTag } from '@esd/service/http/entity-tag';
import { type DatasetStates, FRESH_MS } from './dataset-states.ts';
import type { Call } from '../http/call.ts';
import type { Upstream } from '../upstream/upstream.ts';

export interface Releases {
  /** Returns the release with an identifier or DOI. Throws VERSION_NOT_FOUND. */
  find(name: string, call: Call): Promise<KnownRelease>;
  /** Returns the list of releases, at most 25 ms old. */
  listed(call: Call): Promise<ListedReleases>;
  /** Discards cached and pending lists after a change. */
  invalidate(): void;
  /** Caches a list that was requested at `requestedAt` (`performance.now()`). */
  observe(listed: readonly Release[], requestedAt: number): void;
}

/** The releases, newest first, with a hash of the list. */
export interface ListedReleases {
  readonly releases: readonly Release[];
  readonly tag: string;
}

/** The immutable part of a release. */
export interface KnownRelease {
  id: number;
  identifier: string;
  state: DatasetRevision;
}

const MAX_CACHED = 1_000;

/** Reads releases from dataset-svc. Caches them by identifier only, because a DOI can move to another release. */
export function releases(
  client: Pick<Upstream['releases'], 'findRelease' | 'listReleases'>,
  states: DatasetStates,
): Releases {
  const cache = new LRUCache<string, KnownRelease>({ max: MAX_CACHED });
  let newest: (ListedReleases & { requestedAt: number }) | undefined;
  const calls = new SharedCalls<ListedReleases>();
  let changedAt = -Infinity;
  const observe = (all: readonly Release[], requestedAt: number): ListedReleases => {
    const listed = { releases: all, tag: textTag(JSON.stringify(all)), requestedAt };
    if (requestedAt < changedAt) return listed;
    if (!newest || newest.requestedAt <= requestedAt) newest = listed;
    return newest;
  };
  const fetchList = async ({ requestId, deadline }: Call): Promise<ListedReleases> => {
    const requestedAt = performance.now();
    // Shared call: do not abort it when the first caller disconnects.
    return observe((await client.listReleases({}, { requestId, deadline })).releases, requestedAt);
  };
  return {
    observe,
    invalidate: () => {
      changedAt = performance.now();
      newest = undefined;
    },
    listed: (call) => {
      if (newest && performance.now() - newest.requestedAt < FRESH_MS) return Promise.resolve(newest);
      // A call that started before a change is not joined.
      return calls.join(String(changedAt), undefined, () => fetchList(call)).result;
    },
    find: async (name, call) => {
      const known = cache.get(name);
      // A release of a replaced dataset is no longer valid.
      const dataset = states.latest()?.datasetId;
      if (known && (dataset === undefined || dataset === known.state.datasetId)) return known;
      const found = releaseOf((await client.findRelease({ by: { $case: 'name', value: name } }, call)).release);
      if (found.identifier === name) cache.set(name, found);
      return found;
    },
  };
}

function releaseOf(release: Release | undefined): KnownRelease {
  if (!release?.state)
    throw new ServiceError('UNAVAILABLE', 'The dataset service did not return the revision of the release. Try again.');
  const { id, identifier, state } = release;
  return { id, identifier, state: { datasetId: state.datasetId, revision: state.revision } };
}
