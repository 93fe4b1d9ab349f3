import type { DatasetRevision } from '@esd/dataset-client/dataset-state';
import type { Release } from '@esd/proto/esd/dataset/v1/releases';
import { ServiceError } from '@esd/service/errors';
import { LRUCache } from 'lru-cache';
import { textTag } from '@esd/service/http/entity-tag';
import { type DatasetStates, FRESH_MS } from './dataset-states.ts';
import type { FixedState } from './fixed-state.ts';
import type { Call } from '../http/call.ts';
import type { Upstream } from '../upstream/upstream.ts';

/** The releases of the dataset, by name. */
export interface Releases {
  /** The release of an identifier or a DOI. Throws VERSION_NOT_FOUND. */
  find(name: string, call: Call): Promise<KnownRelease>;
  /** The list of releases, cached for 25 ms. */
  listed(call: Call): Promise<ListedReleases>;
  /** Notes that something was changed: what was asked before is no longer known. */
  changed(): void;
  /** Notes a list that was read. */
  saw(listed: readonly Release[], askedAt: number): void;
}

/** The releases, newest first, with a hash of the list. */
export interface ListedReleases {
  readonly releases: readonly Release[];
  readonly tag: string;
}

/** What never changes of a release. */
export interface KnownRelease {
  id: number;
  identifier: string;
  state: DatasetRevision;
}

const MAX_CACHED = 1_000;

/** How long anybody may keep what is of a release: it never changes. */
export const IMMUTABLE = 'public, max-age=31536000, immutable';
/** How long anybody may keep what depends on rules too, which change with a release of the service. */
const BY_RULES = 'public, max-age=86400';
/** Another release may get the DOI. */
const REVALIDATED = 'no-cache';

/** Finds releases at dataset-svc. One that was found by its identifier is kept; a DOI may still be given to another. */
export function releases(
  client: Pick<Upstream['releases'], 'findRelease' | 'listReleases'>,
  states: DatasetStates,
): Releases {
  const cache = new LRUCache<string, KnownRelease>({ max: MAX_CACHED });
  let newest: (ListedReleases & { askedAt: number }) | undefined;
  let asking: Promise<ListedReleases> | undefined;
  let changedAt = -Infinity;
  const saw = (all: readonly Release[], askedAt: number): ListedReleases => {
    const listed = { releases: all, tag: textTag(JSON.stringify(all)), askedAt };
    if (askedAt < changedAt) return listed;
    if (!newest || newest.askedAt <= askedAt) newest = listed;
    return newest;
  };
  const ask = async ({ requestId, deadline }: Call): Promise<ListedReleases> => {
    const askedAt = performance.now();
    // Others wait for this answer too: it must not end because the one who asked first has gone.
    return saw((await client.listReleases({}, { requestId, deadline })).releases, askedAt);
  };
  return {
    saw,
    changed: () => {
      changedAt = performance.now();
      newest = undefined;
      asking = undefined;
    },
    listed: (call) => {
      if (newest && performance.now() - newest.askedAt < FRESH_MS) return Promise.resolve(newest);
      if (!asking) {
        const asked = ask(call).finally(() => {
          if (asking === asked) asking = undefined;
        });
        asking = asked;
      }
      return asking;
    },
    find: async (name, call) => {
      const known = cache.get(name);
      // A dataset that replaced another has different releases.
      const dataset = states.seen()?.datasetId;
      if (known && (dataset === undefined || dataset === known.state.datasetId)) return known;
      const found = releaseOf((await client.findRelease({ by: { $case: 'name', value: name } }, call)).release);
      if (found.identifier === name) cache.set(name, found);
      return found;
    },
  };
}

/** The state of a release, for its pages under the name by which it was asked, an identifier or a DOI. */
export function fixedState({ identifier, state }: KnownRelease, name: string, dependsOnRules: boolean): FixedState {
  const cacheControl = name !== identifier ? REVALIDATED : dependsOnRules ? BY_RULES : IMMUTABLE;
  return { state, version: identifier, cacheControl, isFixed: name === identifier };
}

function releaseOf(release: Release | undefined): KnownRelease {
  if (!release?.state) throw new ServiceError('UNAVAILABLE', 'The version did not come with its state; try again.');
  const { id, identifier, state } = release;
  return { id, identifier, state: { datasetId: state.datasetId, revision: state.revision } };
}
