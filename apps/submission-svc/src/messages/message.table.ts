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
