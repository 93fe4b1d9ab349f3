import type { Generated, GeneratedAlways } from 'kysely';

export interface MessageTable {
  id: GeneratedAlways<number>;
  record_id: number;
  from_owner: boolean;
  /** Null after the account of a moderator was deleted. */
  author_account_id: string | null;
  text: string;
  created_at: Generated<Date>;
}

/** The newest message of a thread that one side has marked as read. All moderators share a mark. */
export interface ReadMarkTable {
  record_id: number;
  by_owner: boolean;
  message_id: number;
}
