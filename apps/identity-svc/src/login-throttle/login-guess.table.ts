import type { Generated } from 'kysely';

/** How often a password was wrong, in a row. */
export interface LoginGuessTable {
  /** SHA-256 of what is counted, see login-throttle.ts: no address can be read here. */
  key: Buffer;
  wrong: number;
  last_at: Generated<Date>;
}

/** From where an account has logged in. */
export interface KnownLoginNetworkTable {
  /** SHA-256 of e-mail address and client address. */
  network_hash: Buffer;
  account_id: string;
  last_at: Generated<Date>;
}
