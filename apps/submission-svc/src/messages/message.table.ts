import type { Generated, GeneratedAlways } from 'kysely';

/** What the owner of a record and moderators wrote to each other. */
export interface MessageTable {
  id: GeneratedAlways<number>;
  record_id: number;
  from_owner: boolean;
  /** Null once the account of a moderator was deleted. */
  author_account_id: string | null;
  text: string;
  created_at: Generated<Date>;
}
