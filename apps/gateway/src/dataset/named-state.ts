import type { DatasetRevision } from '@esd/dataset-client/dataset-state';
import type { KnownRelease } from './releases.ts';

/** A named state that does not change: a release, a personal snapshot, or a public query. */
export interface NamedState {
  state: DatasetRevision;
  version: string;
  cacheControl: string;
  /** Whether a URL with its name always means this state for every caller. A DOI can move, and a snapshot is private. */
  isPermanent: boolean;
  /** A personal snapshot. Its stored rows are read; the filter belongs to it, not to the request. */
  snapshotId?: number;
  /** A public query. Its stored rows are read. */
  queryId?: string;
}

/** Cache lifetime of release content, which never changes. */
export const IMMUTABLE = 'public, max-age=31536000, immutable';
/** Cache lifetime of content that also depends on rules, which a software release can change. */
export const BY_RULES = 'public, max-age=86400';
/** Cache lifetime of content under a DOI, which can move to another release. */
const REVALIDATED = 'no-cache';

/** Returns the state of a release for pages under the requested name, an identifier or a DOI. */
export function namedState({ identifier, state }: KnownRelease, name: string, dependsOnRules: boolean): NamedState {
  const cacheControl = name !== identifier ? REVALIDATED : dependsOnRules ? BY_RULES : IMMUTABLE;
  return { state, version: identifier, cacheControl, isPermanent: name === identifier };
}
