import type { CheckedSubmission } from '@esd/record/validate-submission';
import type { RecordStatus } from '@esd/record/record-status';
import type { Warning } from '@esd/record/problems';
import type { Kysely, Transaction } from 'kysely';
import { addAudit } from '../record/record.store.ts';
import type { Tables } from '../tables.ts';
import type { JudgedRecord } from '../warnings/judge-records.ts';

export interface NewSubmission {
  submission: Omit<CheckedSubmission, 'records'>;
  /** In the order of the submission. */
  records: readonly (JudgedRecord & { status: RecordStatus })[];
  ownerAccountId: string | null;
  credential: 'anonymous' | 'session' | 'pat';
  /** Where it came from without an account. */
  origin?: string | undefined;
  requestId: string;
}

/** Stores a submission with its records, their first revisions and the audit trail; record ids are consecutive. */
export async function insertSubmission(
  transaction: Transaction<Tables>,
  { submission, records: judged, ownerAccountId, credential, origin, requestId }: NewSubmission,
): Promise<{ submissionId: number; recordIds: number[] }> {
  const submissionId = await takeIds(transaction, 'submission', 1);
  const firstRecordId = await takeIds(transaction, 'record', judged.length);
  const records = judged.map((record, index) => ({ ...record, id: firstRecordId + index }));
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
        origin: origin ?? null,
      })),
    )
    .execute();
  await transaction
    .insertInto('record_revision')
    .values(
      records.map(({ id, data, missingFields, warnings, contentHash, duplicateHash }) => ({
        record_id: id,
        revision: 1,
        data: JSON.stringify(data),
        missing_fields: missingFields,
        warnings: JSON.stringify(warnings),
        author_account_id: ownerAccountId,
        content_hash: contentHash,
        duplicate_hash: duplicateHash,
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

/** What was said of the records of a submission when it was stored, by ascending record id. */
export async function findFirstRevisions(
  database: Kysely<Tables>,
  submissionId: number,
): Promise<{ recordId: number; missingFields: string[]; warnings: Warning[] }[]> {
  return database
    .selectFrom('record')
    .innerJoin('record_revision', 'record_revision.record_id', 'record.id')
    .select(['record.id as recordId', 'record_revision.missing_fields as missingFields', 'record_revision.warnings'])
    .where('record.submission_id', '=', submissionId)
    .where('record_revision.revision', '=', 1)
    .orderBy('record.id')
    .execute();
}

/**
 * Waits until no submission is being stored, and keeps new ones waiting until the transaction ends.
 */
export async function lockSubmissions(transaction: Transaction<Tables>): Promise<void> {
  await transaction.selectFrom('last_id').select('value').where('name', '=', 'submission').forUpdate().execute();
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
