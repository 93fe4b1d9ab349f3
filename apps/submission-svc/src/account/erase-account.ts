import type { DeletedAccount } from '@esd/events/account-deleted';
import { sql, type Transaction } from 'kysely';
import type { RecordContext } from '../records/context.ts';
import { lockAccountForDeletion } from '../records/deleted-account.store.ts';
import type { ImageClient } from '../records/image-client.ts';
import { findNeverPublicImages } from '../records/image-use.store.ts';
import type { Tables } from '../tables.ts';

const RECORDS_A_TRANSACTION = 500;
const REQUEST = 'account-deleted';

/**
 * Erases the data of a deleted account. From the first transaction on nothing more is stored for it. Records that were never
 * approved go, with their images; of the others what is not public goes, and their owner. The userMetadata of its submissions
 * goes too. The audit trail stays, with account ids and no names. Calling it again, also after a crash in the middle, finishes
 * the erasure. Throws UNAVAILABLE while media-svc is away.
 */
export async function eraseAccount(
  { database, images }: Pick<RecordContext, 'database' | 'images'>,
  account: DeletedAccount,
): Promise<void> {
  const { accountId, deletedAt } = account;
  await database.transaction().execute(async (transaction) => {
    await lockAccountForDeletion(transaction, accountId);
    await transaction
      .insertInto('deleted_account')
      .values({ account_id: accountId, deleted_at: deletedAt })
      .onConflict((on) => on.doNothing())
      .execute();
    await transaction
      .deleteFrom('submitter')
      .where('submission_id', 'in', (own) =>
        own.selectFrom('submission').select('id').where('owner_account_id', '=', accountId),
      )
      .execute();
  });
  let erased: number;
  do {
    erased = await database.transaction().execute((transaction) => eraseRecords(transaction, images, accountId));
  } while (erased > 0);
  await database.transaction().execute(async (transaction) => {
    await transaction
      .deleteFrom('submission')
      .where('owner_account_id', '=', accountId)
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('record').select('id').whereRef('record.submission_id', '=', 'submission.id'))),
      )
      .execute();
    await transaction
      .updateTable('submission')
      .set({ owner_account_id: null })
      .where('owner_account_id', '=', accountId)
      .execute();
  });
}

/** Erases some records of the account and returns how many they were. */
async function eraseRecords(transaction: Transaction<Tables>, images: ImageClient, accountId: string): Promise<number> {
  const records = await transaction
    .selectFrom('record')
    .select(['id', 'revision', 'published_revision as published'])
    .where('owner_account_id', '=', accountId)
    .orderBy('id')
    .limit(RECORDS_A_TRANSACTION)
    .forUpdate()
    .execute();
  if (records.length === 0) return 0;
  // Before the records go, which name them: after a failure the event comes again and finds both.
  const neverPublic = await findNeverPublicImages(
    transaction,
    records.map(({ id }) => id),
  );
  await images.erase(neverPublic, { requestId: REQUEST });
  const ids = sql<number>`any(${records.map(({ id }) => id)}::bigint[])`;
  const unpublished = sql<number>`any(${records.flatMap(({ id, published }) => (published === null ? [id] : []))}::bigint[])`;
  await sql`
    delete from record_revision using record
    where record.id = record_revision.record_id and record.id = ${ids}
      and record_revision.revision > coalesce(record.published_revision, 0)`.execute(transaction);
  await transaction.deleteFrom('record').where('id', '=', unpublished).execute();
  await transaction
    .updateTable('record')
    .set((set) => ({
      owner_account_id: null,
      status: 'APPROVED',
      revision: set.fn.coalesce('published_revision', 'revision'),
      updated_at: new Date(),
    }))
    .where('id', '=', ids)
    .execute();
  await transaction
    .insertInto('audit')
    .values(
      records.map(({ id, revision, published }) => ({
        actor_account_id: accountId,
        action: 'delete_account' as const,
        record_id: id,
        record_revision: published ?? revision,
        reason: null,
        request_id: REQUEST,
      })),
    )
    .execute();
  return records.length;
}
