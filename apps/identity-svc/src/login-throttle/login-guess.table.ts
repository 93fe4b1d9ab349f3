import type { Generated } from 'kysely';

export interface LoginGuessTable {
  /** SHA-256 of the addresses of the counter (see login-throttle.ts), so that the table contains none in plain text. */
  key: Buffer;
  wrong: number;
  last_at: Generated<Date>;
}

/** The client addresses from which an account has logged in. */
export interface KnownLoginNetworkTable {
  /** SHA-256 of the email address and the client address. */
  network_hash: Buffer;
  account_id: string;
  last_at: Generated<Date>;
}
