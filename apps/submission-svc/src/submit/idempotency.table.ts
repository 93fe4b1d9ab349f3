import type { Generated } from 'kysely';

/** The submission of an idempotency key; retained for a day. */
export interface IdempotencyKeyTable {
  /** SHA-256 of scope and key, so that no address is stored. */
  key_hash: Buffer;
  body_hash: Buffer;
  submission_id: number;
  created_at: Generated<Date>;
}
