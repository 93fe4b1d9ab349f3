import { LRUCache } from '@esd/background/cache';
import type { Version } from '@esd/proto/esd/dataset/v1/versions';
import { ServiceError } from '@esd/service/errors';
import type { DatasetStates } from './dataset-states.ts';
import type { FixedState } from './fixed-state.ts';
import type { Call } from '../http/call.ts';
import type { State } from './state-tag.ts';
import type { Upstream } from '../upstream/upstream.ts';

/** The frozen versions of the dataset, by name. */
export interface FrozenVersions {
  /** The version of an identifier or a DOI. Throws VERSION_NOT_FOUND. */
  find(name: string, call: Call): Promise<FrozenVersion>;
}

/** What never changes of a version. */
export interface FrozenVersion {
  id: number;
  identifier: string;
  state: State;
}

const MAX_CACHED = 1_000;

/** How long anybody may keep what is of a version: it never changes. */
export const IMMUTABLE = 'public, max-age=31536000, immutable';
/** How long anybody may keep what depends on rules too, which change with a release of the service. */
const BY_RULES = 'public, max-age=86400';
/** Another version may get the DOI. */
const REVALIDATED = 'no-cache';

/** Finds versions at dataset-svc. One that was found by its identifier is kept; a DOI may still be given to another. */
export function frozenVersions(
  versions: Pick<Upstream['versions'], 'findVersion'>,
  states: DatasetStates,
): FrozenVersions {
  const cache = new LRUCache<string, FrozenVersion>({ max: MAX_CACHED });
  return {
    find: async (name, call) => {
      const known = cache.get(name);
      // A dataset that replaced another has different versions.
      const dataset = states.seen()?.datasetId;
      if (known && (dataset === undefined || dataset === known.state.datasetId)) return known;
      const found = versionOf((await versions.findVersion({ by: { $case: 'name', value: name } }, call)).version);
      if (found.identifier === name) cache.set(name, found);
      return found;
    },
  };
}

/** The state of a version, for its pages under the name by which it was asked, an identifier or a DOI. */
export function fixedState({ identifier, state }: FrozenVersion, name: string, isFiltered: boolean): FixedState {
  const cacheControl = name !== identifier ? REVALIDATED : isFiltered ? BY_RULES : IMMUTABLE;
  return { state, version: identifier, cacheControl };
}

function versionOf(version: Version | undefined): FrozenVersion {
  if (!version?.state) throw new ServiceError('UNAVAILABLE', 'The version did not come with its state; try again.');
  const { id, identifier, state } = version;
  return { id, identifier, state: { datasetId: state.datasetId, revision: state.revision } };
}
