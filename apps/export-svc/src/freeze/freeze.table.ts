import type { Generated } from 'kysely';

/** The job of a release. Once reserved, `release_id` and the state of the dataset are set and never change. */
export interface FreezeJobTable {
  id: string;
  identifier: string;
  description: string | null;
  doi: string | null;
  license: string | null;
  /** The requesting account, opaque. */
  account_id: string;
  /** FAILING: given up, but dataset-svc is not notified yet. */
  state: 'BUILDING' | 'FROZEN' | 'FAILING' | 'FAILED';
  release_id: number | null;
  dataset_id: string | null;
  revision: number | null;
  record_count: number | null;
  /** When the release was reserved: the date inside its files. */
  reserved_at: Date | null;
  /** SHA-256 of the records' canonical JSON, hex. */
  digest: string | null;
  failure: string | null;
  lease_id: string | null;
  lease_until: Date | null;
  try_at: Generated<Date>;
  created_at: Generated<Date>;
  ended_at: Date | null;
}

/** A stored file of a release. Rows are only added. */
export interface FreezeFileTable {
  job_id: string;
  format: string;
  object_key: string;
  bytes: number;
  sha256: string;
  crc32: number | null;
  /** The columns of its table when it was written, JSON text of `FileColumn`s; null without a table. */
  columns: string | null;
  /** The store's entity tag of the object; null if its bytes must be compared first. */
  entity_tag: string | null;
  stored_at: Generated<Date>;
}
