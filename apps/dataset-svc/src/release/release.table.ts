import type { DatasetFacts } from '@esd/record/metadata/dataset-facts';
import type { Generated, GeneratedAlways, JSONColumnType } from 'kysely';

export interface ReleaseFile {
  format: string;
  bytes: number;
  /** SHA-256 of the file, hexadecimal. */
  sha256: string;
}

/** A release. A trigger protects the data of frozen releases. */
export interface ReleaseTable {
  id: GeneratedAlways<number>;
  identifier: string;
  state: 'BUILDING' | 'FROZEN' | 'FAILED';
  job_id: string;
  revision: number;
  record_count: number;
  /** When the state was reserved. */
  created_at: Date;
  frozen_at: Date | null;
  /** Normalized: bare and in lower case. */
  doi: string | null;
  license: string | null;
  description: string | null;
  /** SHA-256 over the records' canonical JSON, hexadecimal. */
  digest: string | null;
  files: JSONColumnType<ReleaseFile[], string, string> | null;
  failure: string | null;
  facts: JSONColumnType<DatasetFacts, string, string>;
}

/** A DOI that a frozen release has or had. A trigger of `release` adds the rows. */
export interface ReleaseDoiTable {
  doi: string;
  release_id: number;
}

/** An action on a release. Rows are only added. */
export interface ReleaseChangeTable {
  id: GeneratedAlways<number>;
  release_id: number;
  at: Generated<Date>;
  /** The opaque id of the account; null for the freeze job. */
  account_id: string | null;
  request_id: string;
  action: 'reserve' | 'freeze' | 'fail' | 'describe' | 'facts';
  details: JSONColumnType<object, string, string>;
}
