import type { Generated, GeneratedAlways } from 'kysely';

/** A state of the dataset and a filter, under a name of its owner. */
export interface SnapshotTable {
  id: GeneratedAlways<number>;
  owner_account_id: string;
  name: string;
  description: string | null;
  /** The filter as it was sent, JSON text. */
  filter: string;
  revision: number;
  /** Records of the state that match. */
  record_count: number;
  created_at: Generated<Date>;
}

/** The records of a snapshot. */
export interface SnapshotRowsTable {
  snapshot_id: number;
  /** Ids of rows of record_revision in the order of their record ids, see `packRowIds`. */
  row_list: Buffer;
}
