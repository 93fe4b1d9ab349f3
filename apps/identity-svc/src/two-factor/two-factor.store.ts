import { type Kysely, sql, type Transaction } from 'kysely';
import type { IdentityTables } from '../tables.ts';

export interface TwoFactorState {
  sealedSecret: Buffer;
  confirmed: boolean;
}

export async function findTwoFactor(
  database: Kysely<IdentityTables>,
  accountId: string,
): Promise<TwoFactorState | undefined> {
  const row = await database
    .selectFrom('two_factor')
    .select(['sealed_secret as sealedSecret', 'confirmed_at as confirmedAt'])
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row && { sealedSecret: row.sealedSecret, confirmed: row.confirmedAt !== null };
}

export async function countRecoveryCodesLeft(database: Kysely<IdentityTables>, accountId: string): Promise<number> {
  const { left } = await database
    .selectFrom('recovery_code')
    .select((code) => code.fn.countAll<number>().as('left'))
    .where('account_id', '=', accountId)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow();
  return left;
}

/** Stores an unconfirmed secret. Replaces the two-factor data of the account. */
export async function replacePendingTwoFactor(
  transaction: Transaction<IdentityTables>,
  accountId: string,
  sealedSecret: Buffer,
): Promise<void> {
  await deleteTwoFactor(transaction, accountId);
  await transaction.insertInto('two_factor').values({ account_id: accountId, sealed_secret: sealedSecret }).execute();
}

export async function confirmTwoFactor(
  transaction: Transaction<IdentityTables>,
  accountId: string,
  recoveryHashes: readonly Buffer[],
): Promise<void> {
  await transaction
    .updateTable('two_factor')
    .set({ confirmed_at: sql`now()` })
    .where('account_id', '=', accountId)
    .execute();
  await transaction
    .insertInto('recovery_code')
    .values(recoveryHashes.map((hash) => ({ account_id: accountId, hash })))
    .execute();
}

/** Returns whether the account had two-factor data, confirmed or not. */
export async function deleteTwoFactor(transaction: Transaction<IdentityTables>, accountId: string): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom('two_factor')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/**
 * Marks a time step as used. Returns false if it or a later step is used. Only one of several concurrent calls
 * succeeds.
 */
export async function takeStep(
  transaction: Transaction<IdentityTables>,
  accountId: string,
  step: number,
): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('two_factor')
    .set({ last_step: step })
    .where('account_id', '=', accountId)
    .where((row) => row.or([row('last_step', 'is', null), row('last_step', '<', step)]))
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** Marks a recovery code as used. Returns false if it is unknown or already used. */
export async function takeRecoveryCode(
  transaction: Transaction<IdentityTables>,
  accountId: string,
  hash: Buffer,
): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('recovery_code')
    .set({ used_at: sql`now()` })
    .where('account_id', '=', accountId)
    .where('hash', '=', hash)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}
