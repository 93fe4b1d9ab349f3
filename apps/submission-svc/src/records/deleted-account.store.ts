import type { Transaction } from 'kysely';
import { lockUntilCommit, shareLockUntilCommit } from '@esd/background/advisory-lock';
import { ServiceError } from '@esd/service/errors';
import type { Tables } from '../tables.ts';

/**
 * Delays the deletion of an account until the transaction ends, with a shared lock. Throws TOKEN_INVALID when the account has
 * been deleted.
 */
export async function delayAccountDeletion(transaction: Transaction<Tables>, accountId: string): Promise<void> {
  await shareLockUntilCommit(transaction, lockOf(accountId));
  await refuseDeleted(transaction, accountId);
}

/** Waits for the transactions that delay the deletion of an account, and keeps new ones waiting until this one ends. */
export async function lockAccountForDeletion(transaction: Transaction<Tables>, accountId: string): Promise<void> {
  await lockUntilCommit(transaction, lockOf(accountId));
}

function lockOf(accountId: string): string {
  return `account ${accountId}`;
}

/**
 * Throws TOKEN_INVALID for an account that has been deleted, whose assertion may still be valid. To be called after the
 * transaction has taken a lock that the deletion of the account takes too.
 */
export async function refuseDeleted(transaction: Transaction<Tables>, accountId: string): Promise<void> {
  const gone = await transaction
    .selectFrom('deleted_account')
    .select('account_id')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (gone) throw new ServiceError('TOKEN_INVALID', 'The account of this credential has been deleted.');
}
