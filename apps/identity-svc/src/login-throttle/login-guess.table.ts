import type { Generated } from 'kysely';

export interface LoginGuessTable {
  /** SHA-256 of the counted subject, see login-throttle.ts: no address is readable here. */
  key: Buffer;
  wrong: number;
  last_at: Generated<Date>;
}

export interface KnownLoginNetworkTable {
  /** SHA-256 of the e-mail address and the client network. */
  network_hash: Buffer;
  account_id: string;
  last_at: Generated<Date>;
}
