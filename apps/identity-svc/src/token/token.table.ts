import type { Generated, GeneratedAlways } from 'kysely';

/** A personal access token; it outlives its secrets. */
export interface TokenTable {
  id: GeneratedAlways<number>;
  account_id: string;
  name: string;
  created_at: Generated<Date>;
  expires_at: Date | null;
  revoked_at: Generated<Date | null>;
  last_used_at: Generated<Date | null>;
}

export interface TokenSecretTable {
  /** SHA-256 of the secret. */
  hash: Buffer;
  token_id: number;
  prefix: string;
  /** Set when a new secret replaced it; the row remains, so that its use is reported as that of a revoked token. */
  replaced_at: Generated<Date | null>;
}
