import type { DatasetRevision } from '@esd/dataset-client/dataset-state';

/** A state that stays as it is under a name: a release, a snapshot of somebody, or a public query. */
export interface FixedState {
  state: DatasetRevision;
  /** What the page says as its `version`. */
  version: string;
  /** Who may keep the page, and for how long. */
  cacheControl: string;
  /** Whether its name and a URL always mean this state: a DOI may be given to another version, and a snapshot is its owner's alone. */
  isFixed: boolean;
  /** A personal snapshot, whose rows are read as they are listed; the filter belongs to it, not to the request. */
  snapshotId?: number;
  /** A public query, whose rows are read as they are listed. */
  queryId?: string;
}
