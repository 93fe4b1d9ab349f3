import { ServiceError } from '@esd/service/errors';
import { type Kysely, sql, type Transaction } from 'kysely';
import { contributorOf } from '../contributors/contributors.store.ts';
import type { Tables } from '../tables.ts';

/** The actor of an erasure: an administrator, or no account after a retention period. */
export interface Eraser {
  accountId: string | null;
  requestId: string;
}

/** Erases the userMetadata of a submission; returns false if nothing was left. Throws SUBMISSION_NOT_FOUND. */
export async function eraseSubmitter(database: Kysely<Tables>, submissionId: number, eraser: Eraser): Promise<boolean> {
  return database.transaction().execute(async (transaction) => {
    const submission = await transaction
      .selectFrom('submission')
      .select('id')
      .where('id', '=', submissionId)
      .executeTakeFirst();
    if (!submission) throw new ServiceError('SUBMISSION_NOT_FOUND', `There is no submission ${submissionId}.`);
    return (await eraseSubmitters(transaction, [submissionId], eraser)) > 0;
  });
}

/** Erases the userMetadata of submissions, with an entry in the audit trail of each record; returns their number. */
export async function eraseSubmitters(
  transaction: Transaction<Tables>,
  submissionIds: readonly number[],
  { accountId, requestId }: Eraser,
): Promise<number> {
  const ids = sql<number>`any(${submissionIds}::bigint[])`;
  await keepHidden(transaction, ids);
  const erased = await transaction
    .deleteFrom('submitter')
    .where('submission_id', '=', ids)
    .returning('submission_id as id')
    .execute();
  if (erased.length === 0) return 0;
  await sql`
    insert into audit (actor_account_id, action, record_id, record_revision, reason, request_id)
    select ${accountId}::uuid, 'erase_submitter', id, revision, null, ${requestId}
    from record where submission_id = any(${erased.map(({ id }) => id)}::bigint[]) order by id`.execute(transaction);
  return erased.length;
}

/** Keeps contributors hidden if their latest `showPublicly` is false, by copying it to their earlier submissions. */
async function keepHidden(transaction: Transaction<Tables>, submissionIds: ReturnType<typeof sql<number>>) {
  await sql`
    update submitter as earlier
    set user_metadata = jsonb_set(earlier.user_metadata::jsonb, '{showPublicly}', 'false')::json
    from submission as earlier_submission, submitter as erased, submission as erased_submission
    where earlier_submission.id = earlier.submission_id and erased_submission.id = erased.submission_id
      and erased.submission_id = ${submissionIds} and erased.user_metadata ->> 'showPublicly' = 'false'
      and earlier.submission_id < erased.submission_id and earlier.user_metadata ->> 'showPublicly' = 'true'
      and ${contributorOf(sql`earlier_submission.owner_account_id`, sql`earlier.user_metadata`)}
        = ${contributorOf(sql`erased_submission.owner_account_id`, sql`erased.user_metadata`)}
      and (erased_submission.owner_account_id is not null or exists (
        select from record where record.submission_id = erased.submission_id and record.published_revision is not null
      ))`.execute(transaction);
}
