import type { Generated } from 'kysely';

/** The authenticator of an account. */
export interface TwoFactorTable {
  account_id: string;
  /** See secret-box.ts; bound to the account. */
  sealed_secret: Buffer;
  /** Since when sign-in asks for a code; null until the first right one. */
  confirmed_at: Generated<Date | null>;
  /** The time step (30 s) of the newest code that was taken; neither it nor an earlier one is taken again. */
  last_step: Generated<number | null>;
}

/** Codes for the day on which the authenticator is lost; each works once. */
export interface RecoveryCodeTable {
  account_id: string;
  /** SHA-256 of the code. */
  hash: Buffer;
  used_at: Generated<Date | null>;
}
