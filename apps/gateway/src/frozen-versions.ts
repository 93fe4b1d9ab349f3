import { LRUCache } from 'lru-cache';
import type { Version } from '@esd/proto/esd/dataset/v1/versions';
import { ServiceError } from '@esd/service/errors';
import type { DatasetStates } from './dataset-states.ts';
import type { FixedState } from './record-pages.ts';
import type { Call } from './route.ts';
import type { State } from './state-tag.ts';
import type { Upstream } from './upstream.ts';

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

const MOST_KEPT = 1_000;

/** How long anybody may keep what is of a version: it never changes. */
export const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Finds versions at dataset-svc. One that was found by its identifier is kept; a DOI may still be given to another. */
export function frozenVersions(
  versions: Pick<Upstream['versions'], 'findVersion'>,
  states: DatasetStates,
): FrozenVersions {
  const kept = new LRUCache<string, FrozenVersion>({ max: MOST_KEPT });
  return {
    find: async (name, call) => {
      const known = kept.get(name);
      // A dataset that took the place of another has versions of its own.
      const dataset = states.seen()?.datasetId;
      if (known && (dataset === undefined || dataset === known.state.datasetId)) return known;
      const found = versionOf((await versions.findVersion({ by: { $case: 'name', value: name } }, call)).version);
      if (found.identifier === name) kept.set(name, found);
      return found;
    },
  };
}

/** The state of a version, for its pages. */
export function fixedState({ identifier, state }: FrozenVersion): FixedState {
  return { state, version: identifier, cacheControl: IMMUTABLE };
}

function versionOf(version: Version | undefined): FrozenVersion {
  if (!version?.state) throw new ServiceError('UNAVAILABLE', 'The version did not come with its state; try again.');
  const { id, identifier, state } = version;
  return { id, identifier, state: { datasetId: state.datasetId, revision: state.revision } };
}
