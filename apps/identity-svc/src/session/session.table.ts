import type { Generated } from 'kysely';

/** A login and everything that was refreshed from it, for 90 days. */
export interface SessionTable {
  id: string;
  account_id: string;
  /** Whether its refresh tokens live long. */
  remember_me: boolean;
  created_at: Generated<Date>;
  /** When the newest refresh token expires. */
  expires_at: Date;
  /** Set once: logged out, or a refresh token came back after its use. */
  ended_at: Generated<Date | null>;
  /** From where it began, see `addressNetwork`; personal data, which goes with the row. */
  network: Generated<string | null>;
  /** With what it began, shortened. */
  user_agent: Generated<string | null>;
}

export interface RefreshTokenTable {
  /** SHA-256 of the token. */
  token_hash: Buffer;
  session_id: string;
  expires_at: Date;
  /** When it was exchanged for the next one; used ones are kept, so that a second use is noticed. */
  used_at: Generated<Date | null>;
}
