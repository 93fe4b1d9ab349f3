import type { Generated, GeneratedAlways } from 'kysely';

/** The personal access tokens. A token remains when its secret is replaced. */
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
  /** The time at which a new secret replaced it. The row remains, so that its use returns TOKEN_REVOKED. */
  replaced_at: Generated<Date | null>;
}
