import type { DeletedAccount } from '@esd/events/account-deleted';
import { sql, type Transaction } from 'kysely';
import type { RecordContext } from '../records/context.ts';
import { lockAccountForDeletion } from '../records/deleted-account.store.ts';
import type { ImageClient } from '../records/image-client.ts';
import { findNeverPublicImages } from '../records/image-use.store.ts';
import type { Tables } from '../tables.ts';

const RECORDS_PER_TRANSACTION = 500;
const REQUEST = 'account-deleted';

/**
 * Erases the data of a deleted account; after the first transaction, nothing more is stored for it. Deletes records that
 * were never approved, with their images. The others, including withdrawn ones, lose their owner and every revision that
 * was never public. Deletes userMetadata and the threads of its records; its messages on other records lose their author.
 * The audit trail keeps the account id. A repeated call finishes an interrupted erasure. Throws UNAVAILABLE while media-svc
 * is down.
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
    await transaction
      .updateTable('message')
      .set({ author_account_id: null })
      .where('author_account_id', '=', accountId)
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

/** Erases a batch of records and returns their number. */
async function eraseRecords(transaction: Transaction<Tables>, images: ImageClient, accountId: string): Promise<number> {
  const records = await transaction
    .selectFrom('record')
    .leftJoin('withdrawal', 'withdrawal.record_id', 'record.id')
    .select(['id', 'record.revision', 'record.published_revision as published'])
    .select((on) =>
      on.case().when('record.published_revision', 'is', null).then(on.ref('withdrawal.revision')).end().as('withdrawn'),
    )
    .where('owner_account_id', '=', accountId)
    .orderBy('id')
    .limit(RECORDS_PER_TRANSACTION)
    .forUpdate('record')
    .execute();
  if (records.length === 0) return 0;
  // Images first: after a failure, the repeated event still finds them through their records.
  const neverPublic = await findNeverPublicImages(
    transaction,
    records.map(({ id }) => id),
  );
  await images.delete(neverPublic, { requestId: REQUEST });
  const ids = sql<number>`any(${records.map(({ id }) => id)}::bigint[])`;
  const idsWhere = (is: (record: (typeof records)[number]) => boolean) =>
    sql<number>`any(${records.flatMap((record) => (is(record) ? [record.id] : []))}::bigint[])`;
  await transaction.deleteFrom('message').where('record_id', '=', ids).execute();
  await transaction.deleteFrom('read_mark').where('record_id', '=', ids).execute();
  await sql`
    delete from record_revision
    using record left join withdrawal on withdrawal.record_id = record.id
    where record.id = record_revision.record_id and record.id = ${ids}
      and record_revision.revision is distinct from coalesce(record.published_revision, withdrawal.revision)
      -- An approval that was undone before its publication leaves an entry, but the record was never public.
      and (coalesce(record.published_revision, withdrawal.revision) is null or not exists (
        select from audit
        where audit.record_id = record.id and audit.record_revision = record_revision.revision
          and audit.action = 'approve'
      ))
  `.execute(transaction);
  // The revision of a withdrawal may contain an edit that was never approved.
  await sql`
    update record_revision
    set data = was_public.data, missing_fields = was_public.missing_fields, warnings = was_public.warnings,
      content_hash = was_public.content_hash, duplicate_hash = was_public.duplicate_hash
    from withdrawal
    join record_revision as was_public
      on was_public.record_id = withdrawal.record_id and was_public.revision = withdrawal.published_revision
    where record_revision.record_id = withdrawal.record_id and record_revision.revision = withdrawal.revision
      and withdrawal.record_id = ${idsWhere(({ withdrawn }) => withdrawn !== null)}`.execute(transaction);
  await sql`
    update record_revision set data = (data::jsonb #- '{researchMetadata,sampleId}')::json
    where record_id = ${ids} and data #>> '{researchMetadata,sampleId}' is not null`.execute(transaction);
  await transaction
    .deleteFrom('record')
    .where(
      'id',
      '=',
      idsWhere(({ published, withdrawn }) => published === null && withdrawn === null),
    )
    .execute();
  await sql`
    update record set owner_account_id = null, updated_at = now(),
      status = case when record.published_revision is null then 'REJECTED' else 'APPROVED' end,
      revision = coalesce(
        record.published_revision,
        (select withdrawal.revision from withdrawal where withdrawal.record_id = record.id),
        record.revision
      )
    where id = ${ids}`.execute(transaction);
  await transaction
    .insertInto('audit')
    .values(
      records.map(({ id, revision, published, withdrawn }) => ({
        actor_account_id: accountId,
        action: 'delete_account' as const,
        record_id: id,
        record_revision: published ?? withdrawn ?? revision,
        reason: null,
        request_id: REQUEST,
      })),
    )
    .execute();
  return records.length;
}
