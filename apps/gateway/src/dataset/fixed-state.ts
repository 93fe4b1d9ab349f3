import type { DatasetRevision } from '@esd/dataset-client/dataset-state';

/** A named state that does not change: a release, a personal snapshot, or a public query. */
export interface FixedState {
  state: DatasetRevision;
  version: string;
  cacheControl: string;
  /** Whether a URL with its name always means this state for every caller. A DOI can move, and a snapshot is private. */
  isFixed: boolean;
  /** A personal snapshot. Its stored rows are read; the filter belongs to it, not to the request. */
  snapshotId?: number;
  /** A public query. Its stored rows are read. */
  queryId?: string;
}
