import type { State } from './state-tag.ts';

/** A state that stays as it is under a name: a version, or a snapshot of somebody. */
export interface FixedState {
  state: State;
  /** What the page says as its version. */
  version: string;
  /** Who may keep the page, and for how long. */
  cacheControl: string;
  /** A personal snapshot, whose rows are read as they are listed; the filter belongs to it, not to the request. */
  snapshotId?: number;
}
