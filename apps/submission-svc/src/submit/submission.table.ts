import type { ResearchMetadata, UserMetadata } from '@esd/record/catalog/catalog';
import type { Generated, JSONColumnType } from 'kysely';

/** The highest assigned id; ids have no gaps. */
export interface LastIdTable {
  name: 'submission' | 'record';
  value: number;
}

export interface SubmissionTable {
  id: number;
  /** Opaque account id; null for an anonymous submission. */
  owner_account_id: string | null;
  credential: 'anonymous' | 'session' | 'pat';
  image_only: boolean;
  research_metadata: JSONColumnType<ResearchMetadata, string, string>;
  submitted_at: Generated<Date>;
}

/** Personal data of the submitter; erasable. */
export interface SubmitterTable {
  submission_id: number;
  user_metadata: JSONColumnType<UserMetadata, string, string>;
}
