import type { CheckedSubmission } from '@esd/record/validate/validate-submission';
import type { RecordStatus } from '@esd/record/status/record-status';
import type { RecordWarning } from '@esd/record/validate/problems';
import { type Kysely, sql, type Transaction } from 'kysely';
import { revisionColumns } from '../records/revision.store.ts';
import type { Tables } from '../tables.ts';
import type { PreparedRecord } from '../prepare/add-warnings.ts';

export interface NewSubmission {
  submission: Omit<CheckedSubmission, 'records'>;
  records: readonly (PreparedRecord & { status: RecordStatus })[];
  ownerAccountId: string | null;
  credential: 'anonymous' | 'session' | 'pat';
  origin?: string | undefined;
  requestId: string;
}

/**
 * Stores a submission with its records, their first revisions, and the audit trail; record ids are consecutive. The
 * statement takes the ids itself. Other submissions then wait until the transaction ends, so it should end soon.
 */
export async function insertSubmission(
  transaction: Transaction<Tables>,
  { submission, records, ownerAccountId, credential, origin, requestId }: NewSubmission,
): Promise<{ submissionId: number; recordIds: number[] }> {
  const { rows } = await sql<{ submissionId: number; firstRecordId: number }>`
    with new as materialized (
      select * from rows from (${revisionColumns(records)})
        with ordinality as new (status, data, missing_fields, warnings, content_hash, duplicate_hash, ordinal)
    ),
    ids as materialized (select * from take_ids((select count(*) from new))),
    new_submission as (
      insert into submission (id, owner_account_id, credential, image_only, research_metadata)
      select submission_id, ${ownerAccountId}::uuid, ${credential}, ${submission.imageOnly}::boolean,
        ${JSON.stringify(submission.researchMetadata)}::json from ids
    ),
    new_submitter as (
      insert into submitter (submission_id, user_metadata)
      select submission_id, ${JSON.stringify(submission.userMetadata)}::json from ids
    ),
    new_record as (
      insert into record (id, submission_id, owner_account_id, status, revision, origin)
      select first_record_id + ordinal - 1, submission_id, ${ownerAccountId}::uuid, status, 1, ${origin ?? null}::text
      from new, ids
    ),
    new_revision as (
      insert into record_revision
        (record_id, revision, data, missing_fields, warnings, author_account_id, content_hash, duplicate_hash)
      select first_record_id + ordinal - 1, 1, data, missing_fields, warnings, ${ownerAccountId}::uuid, content_hash,
        duplicate_hash from new, ids
    ),
    new_audit as (
      insert into audit (actor_account_id, action, record_id, record_revision, request_id)
      select ${ownerAccountId}::uuid, 'submit', first_record_id + ordinal - 1, 1, ${requestId} from new, ids
      order by ordinal
    )
    select submission_id as "submissionId", first_record_id as "firstRecordId" from ids`.execute(transaction);
  const [ids] = rows;
  if (!ids) throw new Error('the submission got no ids');
  return { submissionId: ids.submissionId, recordIds: records.map((_, index) => ids.firstRecordId + index) };
}

/** Returns the original missing fields and warnings of the records of a submission, by ascending record id. */
export async function findFirstRevisions(
  database: Kysely<Tables>,
  submissionId: number,
): Promise<{ recordId: number; missingFields: string[]; warnings: RecordWarning[] }[]> {
  return database
    .selectFrom('record')
    .innerJoin('record_revision', 'record_revision.record_id', 'record.id')
    .select(['record.id as recordId', 'record_revision.missing_fields as missingFields', 'record_revision.warnings'])
    .where('record.submission_id', '=', submissionId)
    .where('record_revision.revision', '=', 1)
    .orderBy('record.id')
    .execute();
}
