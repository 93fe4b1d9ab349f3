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

/** Replaces the unconfirmed secret of an account. */
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

export async function deleteTwoFactor(transaction: Transaction<IdentityTables>, accountId: string): Promise<void> {
  await transaction.deleteFrom('two_factor').where('account_id', '=', accountId).execute();
}

/** Returns false when that step or a later one is used. Of concurrent calls, one succeeds. */
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

/** Returns false when the code is unknown or used. */
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
