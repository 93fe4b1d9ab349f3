import type { UserMetadata } from '@esd/record/catalog/catalog';
import type { Kysely, Transaction } from 'kysely';
import type { UpdateTarget } from '../records/record.store.ts';
import type { Tables } from '../tables.ts';

export async function findOwnSubmission(
  database: Kysely<Tables>,
  accountId: string,
  submissionId: number,
): Promise<UpdateTarget | undefined> {
  const rows = await database
    .selectFrom('submission')
    .leftJoin('record', 'record.submission_id', 'submission.id')
    .select(['submission.image_only', 'record.id'])
    .where('submission.id', '=', submissionId)
    .where('submission.owner_account_id', '=', accountId)
    .orderBy('record.id')
    .execute();
  const [first] = rows;
  return (
    first && {
      submissionId,
      imageOnly: first.image_only,
      recordIds: rows.flatMap(({ id }) => (id === null ? [] : [id])),
    }
  );
}

export async function replaceSubmitter(
  transaction: Transaction<Tables>,
  submissionId: number,
  userMetadata: UserMetadata,
): Promise<void> {
  await transaction
    .updateTable('submitter')
    .set({ user_metadata: JSON.stringify(userMetadata) })
    .where('submission_id', '=', submissionId)
    .execute();
}
