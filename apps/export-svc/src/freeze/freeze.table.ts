import type { Generated } from 'kysely';

/** The making of a version. Once reserved, `version_id` and the state of the dataset are there and never change. */
export interface FreezeJobTable {
  id: string;
  version_identifier: string;
  description: string | null;
  doi: string | null;
  license: string | null;
  /** Who asked for it, opaque. */
  account_id: string;
  /** FAILING: given up, and dataset-svc is still to be told. */
  state: 'BUILDING' | 'FROZEN' | 'FAILING' | 'FAILED';
  version_id: number | null;
  dataset_id: string | null;
  revision: number | null;
  record_count: number | null;
  /** When the version was set aside: the date inside its files. */
  reserved_at: Date | null;
  /** SHA-256 over the records' canonical JSON, hex. */
  digest: string | null;
  failure: string | null;
  lease_id: string | null;
  lease_until: Date | null;
  try_at: Generated<Date>;
  created_at: Generated<Date>;
  ended_at: Date | null;
}

/** A stored file of a version. Rows are only ever added. */
export interface FreezeFileTable {
  job_id: string;
  format: string;
  object_key: string;
  bytes: number;
  sha256: string;
  stored_at: Generated<Date>;
}
