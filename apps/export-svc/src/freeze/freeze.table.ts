import type { Generated } from 'kysely';

/** The freeze jobs. Reserving a release sets `release_id` and the dataset revision, which then never change. */
export interface FreezeJobTable {
  id: string;
  identifier: string;
  description: string | null;
  doi: string | null;
  license: string | null;
  /** The opaque id of the account that requested the freeze. */
  account_id: string;
  /** FAILING: the job has failed, but dataset-svc has not been notified yet. */
  state: 'BUILDING' | 'FROZEN' | 'FAILING' | 'FAILED';
  release_id: number | null;
  dataset_id: string | null;
  revision: number | null;
  record_count: number | null;
  /** The time at which the release was reserved, which its files contain as their date. */
  reserved_at: Date | null;
  /** The SHA-256 of the records' canonical JSON, in hexadecimal digits. */
  digest: string | null;
  failure: string | null;
  lease_id: string | null;
  lease_until: Date | null;
  try_at: Generated<Date>;
  created_at: Generated<Date>;
  ended_at: Date | null;
}

/** The stored files of releases. Rows are only deleted with a failed job. */
export interface FreezeFileTable {
  job_id: string;
  format: string;
  object_key: string;
  bytes: number;
  sha256: string;
  crc32: number;
  /** The columns at the time of writing: `FileColumn`s as JSON text, or null for a file without a table. */
  columns: string | null;
  /** The entity tag of the object in the store; null if the bytes must be compared first. */
  entity_tag: string | null;
  stored_at: Generated<Date>;
}
