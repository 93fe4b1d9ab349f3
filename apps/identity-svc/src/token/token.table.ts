import type { Generated, GeneratedAlways } from 'kysely';

/** A personal access token as its owner knows it; it outlives its secrets. */
export interface TokenTable {
  id: GeneratedAlways<number>;
  account_id: string;
  name: string;
  created_at: Generated<Date>;
  /** Null when it does not expire. */
  expires_at: Date | null;
  revoked_at: Generated<Date | null>;
  last_used_at: Generated<Date | null>;
}

export interface TokenSecretTable {
  /** SHA-256 of the secret. */
  hash: Buffer;
  token_id: number;
  /** How the secret begins. */
  prefix: string;
  /** Set when another secret took its place; kept, so that its use is answered as that of a revoked one. */
  replaced_at: Generated<Date | null>;
}
