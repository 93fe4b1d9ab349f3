import type { Generated, GeneratedAlways } from 'kysely';

/** A saved filter of an account at a state of the dataset. */
export interface SnapshotTable {
  id: GeneratedAlways<number>;
  owner_account_id: string;
  name: string;
  description: string | null;
  filter: string;
  revision: number;
  record_count: number;
  created_at: Generated<Date>;
}

export interface SnapshotRowsTable {
  snapshot_id: number;
  /** Ids of rows of record_revision in the order of their record ids, see `packRowIds`. */
  row_list: Buffer;
}
