import type { DatasetFacts } from '@esd/record/metadata/dataset-facts';
import type { Generated, GeneratedAlways, JSONColumnType } from 'kysely';

/** A stored file of a release. */
export interface ReleaseFile {
  /** Such as xlsx. */
  format: string;
  bytes: number;
  /** SHA-256 of the file, hexadecimal. */
  sha256: string;
}

/** A state of the dataset under an identifier. The database refuses changes of what is frozen. */
export interface ReleaseTable {
  id: GeneratedAlways<number>;
  identifier: string;
  state: 'BUILDING' | 'FROZEN' | 'FAILED';
  /** The freeze job that builds or built it. */
  job_id: string;
  revision: number;
  record_count: number;
  /** When the state was set aside. */
  created_at: Date;
  frozen_at: Date | null;
  /** As DOIs are compared: bare, in lower case. */
  doi: string | null;
  license: string | null;
  description: string | null;
  /** SHA-256 over the records' canonical JSON, hexadecimal. */
  digest: string | null;
  files: JSONColumnType<ReleaseFile[], string, string> | null;
  /** Why it failed. */
  failure: string | null;
  /** The description of the dataset as a whole. */
  facts: JSONColumnType<DatasetFacts, string, string> | null;
}

/** A DOI that a frozen release has or had; a trigger of `version` adds the rows. */
export interface ReleaseDoiTable {
  doi: string;
  release_id: number;
}

/** What was done to a release; rows are only ever added. */
export interface ReleaseChangeTable {
  id: GeneratedAlways<number>;
  release_id: number;
  at: Generated<Date>;
  /** Opaque account id of who did it; null for the freeze job. */
  account_id: string | null;
  request_id: string;
  action: 'reserve' | 'freeze' | 'fail' | 'describe' | 'facts';
  details: JSONColumnType<object, string, string>;
}
