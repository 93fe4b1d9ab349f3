import type { Transaction } from 'kysely';
import { lockUntilCommit, shareLockUntilCommit } from '@esd/background/advisory-lock';
import { ServiceError } from '@esd/service/errors';
import type { Tables } from '../tables.ts';

/** Delays the deletion of an account until the transaction ends. Throws TOKEN_INVALID for a deleted account. */
export async function delayAccountDeletion(transaction: Transaction<Tables>, accountId: string): Promise<void> {
  await shareLockUntilCommit(transaction, lockOf(accountId));
  await refuseDeleted(transaction, accountId);
}

/** Waits for transactions that delay the deletion of an account, and blocks new ones until this transaction ends. */
export async function lockAccountForDeletion(transaction: Transaction<Tables>, accountId: string): Promise<void> {
  await lockUntilCommit(transaction, lockOf(accountId));
}

function lockOf(accountId: string): string {
  return `account ${accountId}`;
}

/** Throws TOKEN_INVALID for a deleted account. Must follow a lock that the deletion of the account also takes. */
export async function refuseDeleted(transaction: Transaction<Tables>, accountId: string): Promise<void> {
  const gone = await transaction
    .selectFrom('deleted_account')
    .select('account_id')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (gone) throw new ServiceError('TOKEN_INVALID', 'The account of this credential has been deleted.');
}
