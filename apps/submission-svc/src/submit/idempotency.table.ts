import type { Generated } from 'kysely';

/** Which submission came of an idempotency key; kept for a day. */
export interface IdempotencyKeyTable {
  /** SHA-256 of whose key it is and the key, so that no address is kept. */
  key_hash: Buffer;
  /** SHA-256 of the body that came with it. */
  body_hash: Buffer;
  submission_id: number;
  created_at: Generated<Date>;
}
