import { createHash } from 'node:crypto';
import { lockUntilCommit } from '@esd/background/advisory-lock';
import type { Kysely, Transaction } from 'kysely';
import { ServiceError } from '@esd/service/errors';
import type { Tables } from '../tables.ts';

const VALID_MS = 24 * 60 * 60 * 1000;
const SWEEP_ROWS = 5_000;
const KEY = /^[\x20-\x7e]{1,255}$/;

/** The stored form of a key: hashes of its scope and text, and of the body. */
export interface IdempotencyKey {
  keyHash: Buffer;
  bodyHash: Buffer;
}

/** Throws INVALID_PARAMETER for a key that is empty, too long, or not printable ASCII. `scope` names its owner. */
export function idempotencyKey(scope: string, key: string, body: Uint8Array): IdempotencyKey {
  if (!KEY.test(key)) {
    throw new ServiceError('INVALID_PARAMETER', 'The Idempotency-Key must have 1 to 255 printable ASCII characters.');
  }
  return {
    keyHash: createHash('sha256')
      .update(JSON.stringify([scope, key]))
      .digest(),
    bodyHash: createHash('sha256').update(body).digest(),
  };
}

/** Serializes the requests with a key until the transaction ends. */
export async function lockKey(transaction: Transaction<Tables>, { keyHash }: IdempotencyKey): Promise<void> {
  await lockUntilCommit(transaction, `idempotency key ${keyHash.toString('hex')}`);
}

/** Finds the submission that was stored with the key in the last 24 hours. Throws CONFLICT if its body differs. */
export async function findEarlierSubmission(
  database: Kysely<Tables>,
  { keyHash, bodyHash }: IdempotencyKey,
): Promise<number | undefined> {
  const row = await database
    .selectFrom('idempotency_key')
    .select(['body_hash', 'submission_id'])
    .where('key_hash', '=', keyHash)
    .where('created_at', '>', oldest())
    .executeTakeFirst();
  if (row && !row.body_hash.equals(bodyHash)) {
    throw new ServiceError(
      'CONFLICT',
      'This Idempotency-Key was used with another body in the last 24 hours; send a new key with a new submission.',
    );
  }
  return row?.submission_id;
}

/** Stores the submission of a locked key, which must be new or expired. */
export async function storeKey(
  transaction: Transaction<Tables>,
  { keyHash, bodyHash }: IdempotencyKey,
  submissionId: number,
): Promise<void> {
  const values = { body_hash: bodyHash, submission_id: submissionId, created_at: new Date() };
  await transaction
    .insertInto('idempotency_key')
    .values({ key_hash: keyHash, ...values })
    .onConflict((on) => on.column('key_hash').doUpdateSet(values).where('idempotency_key.created_at', '<=', oldest()))
    .returning('submission_id')
    .executeTakeFirstOrThrow();
}

/** Deletes a batch of expired keys; returns their number. */
export async function sweepKeys(database: Kysely<Tables>): Promise<number> {
  const { numDeletedRows } = await database
    .deleteFrom('idempotency_key')
    .where('key_hash', 'in', (expired) =>
      expired.selectFrom('idempotency_key').select('key_hash').where('created_at', '<=', oldest()).limit(SWEEP_ROWS),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}

function oldest(): Date {
  return new Date(Date.now() - VALID_MS);
}
