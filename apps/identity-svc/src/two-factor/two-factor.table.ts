import type { Generated } from 'kysely';

export interface TwoFactorTable {
  account_id: string;
  /** The secret of the authenticator, encrypted and bound to the account (see secret-box.ts). */
  sealed_secret: Buffer;
  /** Null until the first correct code. From then on, sign-in requires a code. */
  confirmed_at: Generated<Date | null>;
  /** The time step (30 s) of the newest used code. Neither this code nor an earlier one is accepted again. */
  last_step: Generated<number | null>;
}

/** The codes for sign-in without the authenticator. Each works once. */
export interface RecoveryCodeTable {
  account_id: string;
  /** SHA-256 of the code. */
  hash: Buffer;
  used_at: Generated<Date | null>;
}
