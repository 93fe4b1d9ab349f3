import type { Generated } from 'kysely';

/** A login and all its refreshes, for at most 90 days. */
export interface SessionTable {
  id: string;
  account_id: string;
  remember_me: boolean;
  created_at: Generated<Date>;
  /** The expiry of the newest refresh token. */
  expires_at: Date;
  /** Set once, for example by a logout or a second use of a refresh token. */
  ended_at: Generated<Date | null>;
  /** The network of the login (see `addressNetwork`). It is personal data, deleted with the row. */
  network: Generated<string | null>;
  /** The User-Agent of the login, shortened. */
  user_agent: Generated<string | null>;
}

export interface RefreshTokenTable {
  /** SHA-256 of the token. */
  token_hash: Buffer;
  session_id: string;
  expires_at: Date;
  /** The time of the exchange. Used tokens are retained, so that a second use is detected. */
  used_at: Generated<Date | null>;
}
