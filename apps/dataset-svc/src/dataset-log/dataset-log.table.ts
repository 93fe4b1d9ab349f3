import type { Generated, GeneratedAlways } from 'kysely';

export interface DatasetHeadTable {
  only_row: Generated<boolean>;
  /** Identifies this dataset; part of every ETag. */
  dataset_id: Generated<string>;
  revision: Generated<number>;
  record_count: Generated<number>;
  /** The dataset revision of the newest change to a reference list. */
  reference_revision: Generated<number>;
}

export interface DatasetRevisionTable {
  revision: number;
  record_count: number;
  committed_at: Generated<Date>;
}

/** A record revision that is public from `valid_from` until before `valid_to`. Only `valid_to` is ever updated. */
export interface RecordRevisionTable {
  row_id: GeneratedAlways<number>;
  record_id: number;
  record_revision: number;
  valid_from: number;
  valid_to: number | null;
  body: string;
  approved_at: Date;
}

/** The hash of a row of the log. It identifies the content of a public record. */
export interface RecordHashTable {
  row_id: number;
  /** SHA-256 of the canonical JSON of the body, see `recordHash`. */
  sha256: Buffer;
}

/** A withdrawal of a record. The row remains when the record is public again. */
export interface WithdrawalTable {
  record_id: number;
  /** The record revision that the withdrawal created. Lower revisions never become public again. */
  record_revision: number;
  revision: number;
  withdrawn_at: Date;
  /** Shown to the public. */
  reason: string;
}
