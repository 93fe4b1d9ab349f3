import { lockUntilCommit } from '@esd/background/advisory-lock';
import type { Kysely, Transaction } from 'kysely';
import type { Tables } from '../tables.ts';
import type { DeletedAccount } from '@esd/events/account-deleted';

/** Locks an account until the transaction ends. */
export async function lockAccount(transaction: Transaction<Tables>, accountId: string): Promise<void> {
  await lockUntilCommit(transaction, `esd account ${accountId}`);
}

/** Deletes the personal snapshots of a deleted account and blocks new ones. Idempotent. */
export async function eraseAccount(database: Kysely<Tables>, account: DeletedAccount): Promise<void> {
  const { accountId, deletedAt } = account;
  await database.transaction().execute(async (transaction) => {
    await lockAccount(transaction, accountId);
    await transaction
      .insertInto('deleted_account')
      .values({ account_id: accountId, deleted_at: deletedAt })
      .onConflict((on) => on.doNothing())
      .execute();
    await transaction.deleteFrom('snapshot').where('owner_account_id', '=', accountId).execute();
  });
}
