import type { CheckedSubmission } from '@esd/record/validate-submission';
import type { RecordStatus } from '@esd/record/record-status';
import type { Transaction } from 'kysely';
import { addAudit } from '../record/record.store.ts';
import type { Tables } from '../tables.ts';

export interface NewSubmission {
  submission: CheckedSubmission;
  /** Status of each record, in the order of the submission. */
  statuses: readonly RecordStatus[];
  ownerAccountId: string | null;
  credential: 'anonymous' | 'session' | 'pat';
  requestId: string;
}

/** Stores a submission with its records, their first revisions and the audit trail; record ids are consecutive. */
export async function insertSubmission(
  transaction: Transaction<Tables>,
  { submission, statuses, ownerAccountId, credential, requestId }: NewSubmission,
): Promise<{ submissionId: number; recordIds: number[] }> {
  const submissionId = await takeIds(transaction, 'submission', 1);
  const firstRecordId = await takeIds(transaction, 'record', submission.records.length);
  const records = submission.records.map((record, index) => ({
    ...record,
    id: firstRecordId + index,
    status: statuses[index] ?? 'NEEDS_UPDATE',
  }));
  await transaction
    .insertInto('submission')
    .values({
      id: submissionId,
      owner_account_id: ownerAccountId,
      credential,
      image_only: submission.imageOnly,
      research_metadata: JSON.stringify(submission.researchMetadata),
    })
    .execute();
  await transaction
    .insertInto('submitter')
    .values({ submission_id: submissionId, user_metadata: JSON.stringify(submission.userMetadata) })
    .execute();
  await transaction
    .insertInto('record')
    .values(
      records.map(({ id, status }) => ({
        id,
        submission_id: submissionId,
        owner_account_id: ownerAccountId,
        status,
        revision: 1,
        published_revision: null,
      })),
    )
    .execute();
  await transaction
    .insertInto('record_revision')
    .values(
      records.map(({ id, data, missingFields, warnings }) => ({
        record_id: id,
        revision: 1,
        data: JSON.stringify(data),
        missing_fields: missingFields,
        warnings: JSON.stringify(warnings),
        author_account_id: ownerAccountId,
      })),
    )
    .execute();
  await addAudit(
    transaction,
    records.map(({ id }) => ({
      actor_account_id: ownerAccountId,
      action: 'submit' as const,
      record_id: id,
      record_revision: 1,
      reason: null,
      request_id: requestId,
    })),
  );
  return { submissionId, recordIds: records.map((record) => record.id) };
}

/** Takes `count` consecutive ids and returns the first; whoever submits at the same time waits for the commit. */
async function takeIds(
  transaction: Transaction<Tables>,
  name: 'submission' | 'record',
  count: number,
): Promise<number> {
  const { value } = await transaction
    .updateTable('last_id')
    .set((set) => ({ value: set('value', '+', count) }))
    .where('name', '=', name)
    .returning('value')
    .executeTakeFirstOrThrow();
  return value - count + 1;
}
