import type { ExperimentData } from '@esd/record/catalog/catalog';
import type { RecordWarning } from '@esd/record/validate/problems';
import type { RecordStatus } from '@esd/record/status/record-status';
import type { Generated, GeneratedAlways, JSONColumnType } from 'kysely';

export interface RecordTable {
  id: number;
  submission_id: number;
  owner_account_id: string | null;
  /** Status of the newest revision. */
  status: RecordStatus;
  /** Number of the newest revision, from 1. */
  revision: number;
  /** The revision that is public; null before the first approval, and while the record is withdrawn. */
  published_revision: number | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
  /** Since when it has had its status. */
  status_since: Generated<Date>;
  /** Of a record without an account that awaits review, for 90 days: see originsBy. */
  origin: Generated<string | null>;
  /** When the data of a rejected record was erased; null: it was not. */
  erased_at: Generated<Date | null>;
}

/** Every state that a record's data ever had; rows are never changed, but emptied where a rejected record is erased. */
export interface RecordRevisionTable {
  record_id: number;
  revision: number;
  data: JSONColumnType<ExperimentData, string, string>;
  missing_fields: string[];
  warnings: JSONColumnType<RecordWarning[], string, string>;
  author_account_id: string | null;
  /** SHA-256 of the data whatever the order of its members; null in rows of an older schema. */
  content_hash: Buffer | null;
  /** SHA-256 of what likely duplicates have in common; null where that says too little. */
  duplicate_hash: Buffer | null;
  /** Names of its polymers, from the data. */
  polymers: GeneratedAlways<string[]>;
  /** Ids of its images, from the data. */
  image_ids: GeneratedAlways<string[]>;
  created_at: Generated<Date>;
}

/** Who did what to which record revision, when and why; rows are only added. */
export interface AuditTable {
  id: GeneratedAlways<number>;
  at: Generated<Date>;
  actor_account_id: string | null;
  action:
    | 'submit'
    | 'update'
    | 'delete_account'
    | 'approve'
    | 'reject'
    | 'withdraw'
    | 'restore'
    | 'reopen'
    | 'erase'
    | 'erase_submitter';
  record_id: number;
  record_revision: number;
  reason: string | null;
  request_id: string;
}

/** The newest withdrawal of a record; in force while the record has no published revision. */
export interface WithdrawalTable {
  record_id: number;
  /** The revision that the withdrawal made. */
  revision: number;
  /** The revision that was public until then. */
  published_revision: number;
  at: Date;
  /** Public. */
  reason: string;
}
