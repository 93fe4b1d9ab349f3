import type { AccountRole } from '@esd/proto/account-role';
import type { Generated, Insertable, Selectable, Updateable } from 'kysely';

/**
 * The accounts. Deleting a row cascades to the other data of the account. Data that outlives the account refers to its
 * id without a foreign key.
 */
export interface AccountTable {
  /** A UUID, never reused. */
  id: string;
  /** The address as entered. */
  email: string;
  email_normalized: string;
  password_hash: string;
  role: AccountRole;
  enabled: Generated<boolean>;
  email_verified: boolean;
  /** Whether the address was registered again before it was verified. Its owner must then choose a password by mail. */
  registered_again: Generated<boolean>;
  name: string;
  orcid: string | null;
  created_at: Generated<Date>;
}

export type AccountRow = Selectable<AccountTable>;
export type NewAccountRow = Insertable<AccountTable>;
export type AccountChanges = Updateable<AccountTable>;
