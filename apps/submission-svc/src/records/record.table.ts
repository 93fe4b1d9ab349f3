import type { ExperimentData } from '@esd/record/catalog/catalog';
import type { RecordWarning } from '@esd/record/validate/problems';
import type { RecordStatus } from '@esd/record/status/record-status';
import type { Generated, GeneratedAlways, JSONColumnType } from 'kysely';

export interface RecordTable {
  id: number;
  submission_id: number;
  owner_account_id: string | null;
  status: RecordStatus;
  /** Number of the newest revision, from 1. */
  revision: number;
  /**
   * The revision that was approved last, which is public once dataset-svc has its event; null before the first approval,
   * and while the record is withdrawn.
   */
  published_revision: number | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
  status_since: Generated<Date>;
  /** Origin of a pending record without an account, for at most 90 days; see originsBy. */
  origin: Generated<string | null>;
  erased_at: Generated<Date | null>;
}

/** The revisions of records. Rows are immutable, except that an erasure replaces or empties their data. */
export interface RecordRevisionTable {
  record_id: number;
  revision: number;
  data: JSONColumnType<ExperimentData, string, string>;
  missing_fields: string[];
  warnings: JSONColumnType<RecordWarning[], string, string>;
  author_account_id: string | null;
  /** SHA-256 of the contentText; null once the data is erased. */
  content_hash: Buffer | null;
  /** SHA-256 of the duplicateText, if there is one. */
  duplicate_hash: Buffer | null;
  polymers: GeneratedAlways<string[]>;
  image_ids: GeneratedAlways<string[]>;
  created_at: Generated<Date>;
}

/** The audit trail of record revisions; append-only. */
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
  /** The bulk decision that the entry belongs to, also as its undoing. */
  decision_id: Generated<number | null>;
  /** In the entries of a bulk decision: the public revision before it. */
  published_before: Generated<number | null>;
}

/** The approvals and rejections of many records in one request, which can be undone. */
export interface DecisionTable {
  id: GeneratedAlways<number>;
  account_id: string;
  action: 'approve' | 'reject';
  reason: string | null;
  at: Generated<Date>;
  undo_until: Date;
  undone_at: Generated<Date | null>;
  /** The ids of its events in the outbox: of its approvals, and of the mails to owners. */
  approved_event_ids: string[];
  reviewed_event_ids: string[];
}

/** The newest withdrawal of a record; in force while the record has no published revision. */
export interface WithdrawalTable {
  record_id: number;
  /** The revision created by the withdrawal. */
  revision: number;
  published_revision: number;
  at: Date;
  reason: string;
}
