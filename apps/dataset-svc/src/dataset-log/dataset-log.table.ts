import type { Generated, GeneratedAlways } from 'kysely';

/** One row: which state "latest" is. */
export interface DatasetHeadTable {
  only_row: Generated<boolean>;
  /** Identifies this dataset; part of every ETag. */
  dataset_id: Generated<string>;
  revision: Generated<number>;
  record_count: Generated<number>;
  /** The dataset revision of the newest change to a reference list. */
  reference_revision: Generated<number>;
}

/** One row for each dataset revision. */
export interface DatasetRevisionTable {
  revision: number;
  record_count: number;
  committed_at: Generated<Date>;
}

/** A public record as it was from one dataset revision to another; rows only ever get their `valid_to`. */
export interface RecordRevisionTable {
  row_id: GeneratedAlways<number>;
  record_id: number;
  record_revision: number;
  valid_from: number;
  valid_to: number | null;
  /** The record as it is served, JSON text. */
  body: string;
  approved_at: Date;
}

/** The hash of a row of the log, by which a public record is recognized. */
export interface RecordHashTable {
  row_id: number;
  /** SHA-256 of the canonical JSON of the body, see `recordHash`. */
  sha256: Buffer;
}

/** Every withdrawal of a record that was taken; rows stay when the record is public again. */
export interface WithdrawalTable {
  record_id: number;
  /** The record revision that the withdrawal made: no lower one becomes public any more. */
  record_revision: number;
  /** The dataset revision from which on the record is withdrawn. */
  revision: number;
  withdrawn_at: Date;
  /** Public. */
  reason: string;
}
