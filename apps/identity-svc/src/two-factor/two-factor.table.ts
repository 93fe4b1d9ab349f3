import type { Generated } from 'kysely';

export interface TwoFactorTable {
  account_id: string;
  /** See secret-box.ts; bound to the account. */
  sealed_secret: Buffer;
  /** Null until the first right code; sign-in requires a code from then on. */
  confirmed_at: Generated<Date | null>;
  /** The time step (30 s) of the newest used code; neither it nor an earlier one is accepted again. */
  last_step: Generated<number | null>;
}

/** Codes for sign-in without the authenticator; each works once. */
export interface RecoveryCodeTable {
  account_id: string;
  /** SHA-256 of the code. */
  hash: Buffer;
  used_at: Generated<Date | null>;
}
