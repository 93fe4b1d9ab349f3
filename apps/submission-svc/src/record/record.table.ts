import type { ExperimentData } from '@esd/record/catalogue';
import type { Warning } from '@esd/record/problems';
import type { RecordStatus } from '@esd/record/record-status';
import type { Generated, GeneratedAlways, JSONColumnType } from 'kysely';

export interface RecordTable {
  id: number;
  submission_id: number;
  owner_account_id: string | null;
  /** Status of the newest revision. */
  status: RecordStatus;
  /** Number of the newest revision, from 1. */
  revision: number;
  /** The revision that is public; null before the first approval. */
  published_revision: number | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

/** Every state that a record's data ever had; rows are never changed. */
export interface RecordRevisionTable {
  record_id: number;
  revision: number;
  data: JSONColumnType<ExperimentData, string, string>;
  missing_fields: string[];
  warnings: JSONColumnType<Warning[], string, string>;
  author_account_id: string | null;
  created_at: Generated<Date>;
}

/** Who did what to which record revision, when and why; rows are only added. */
export interface AuditTable {
  id: GeneratedAlways<number>;
  at: Generated<Date>;
  actor_account_id: string | null;
  action: 'submit' | 'approve';
  record_id: number;
  record_revision: number;
  reason: string | null;
  request_id: string;
}
