import type { AccountRole } from '@esd/proto/account-role';
import type { Generated, Insertable, Selectable, Updateable } from 'kysely';

/**
 * All personal data is in this row: deleting it erases the person and cascades to the sessions. What has to outlive
 * an account refers to its id without a foreign key.
 */
export interface AccountTable {
  /** Opaque, UUID, never used again. */
  id: string;
  /** As typed. */
  email: string;
  /** What makes an address unique: see `normalizeEmail`. */
  email_normalized: string;
  /** Argon2id, PHC string. */
  password_hash: string;
  role: AccountRole;
  enabled: Generated<boolean>;
  email_verified: boolean;
  /** Registered more than once before the address was verified: the password is then chosen by mail. */
  registered_again: Generated<boolean>;
  name: string;
  orcid: string | null;
  created_at: Generated<Date>;
}

export type AccountRow = Selectable<AccountTable>;
export type NewAccountRow = Insertable<AccountTable>;
export type AccountChanges = Updateable<AccountTable>;
