import { sql, type Transaction } from 'kysely';
import { ServiceError } from '@esd/service/errors';
import type { Tables } from '../tables.ts';

/**
 * Holds off the deletion of an account until the transaction ends. Throws TOKEN_INVALID when the account is gone. Others may
 * hold it off at the same time.
 */
export async function keepAccount(transaction: Transaction<Tables>, accountId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${lockOf(accountId)})`.execute(transaction);
  await refuseDeleted(transaction, accountId);
}

/** Waits until nothing is being stored for an account that holds its deletion off, and keeps it so until the transaction ends. */
export async function lockAccount(transaction: Transaction<Tables>, accountId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${lockOf(accountId)})`.execute(transaction);
}

function lockOf(accountId: string) {
  return sql`hashtextextended('account ' || ${accountId}::uuid, 0)`;
}

/**
 * Refuses what an account that is gone still asks for with an assertion that is alive: TOKEN_INVALID. To be called after
 * the transaction has taken a lock that the deletion of the account takes too.
 */
export async function refuseDeleted(transaction: Transaction<Tables>, accountId: string): Promise<void> {
  const gone = await transaction
    .selectFrom('deleted_account')
    .select('account_id')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (gone) throw new ServiceError('TOKEN_INVALID', 'The account of this credential has been deleted.');
}
