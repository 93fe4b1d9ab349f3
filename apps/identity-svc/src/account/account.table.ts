import type { AccountRole } from '@esd/proto/account-role';
import type { Generated, Insertable, Selectable, Updateable } from 'kysely';

/**
 * The only row with personal data of an account: deleting it cascades to the sessions. Data that outlives the account
 * refers to its id without a foreign key.
 */
export interface AccountTable {
  /** A UUID, never reused. */
  id: string;
  /** As typed. */
  email: string;
  email_normalized: string;
  password_hash: string;
  role: AccountRole;
  enabled: Generated<boolean>;
  email_verified: boolean;
  /** Registered more than once before the address was verified: the owner then chooses the password by mail. */
  registered_again: Generated<boolean>;
  name: string;
  orcid: string | null;
  created_at: Generated<Date>;
}

export type AccountRow = Selectable<AccountTable>;
export type NewAccountRow = Insertable<AccountTable>;
export type AccountChanges = Updateable<AccountTable>;
