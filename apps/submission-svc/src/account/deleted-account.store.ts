import type { Transaction } from 'kysely';
import { ServiceError } from '@esd/service/errors';
import type { Tables } from '../tables.ts';

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
