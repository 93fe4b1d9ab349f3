import type { ExperimentData, UserMetadata } from '@esd/record/catalogue/catalogue';
import type { RecordWarning } from '@esd/record/validate/problems';
import { type FieldDifference, recordDifference } from '@esd/record/catalogue/record-difference';
import type { RecordStatus } from '@esd/record/catalogue/record-status';
import { ServiceError } from '@esd/service/errors';
import type { Kysely, Transaction } from 'kysely';
import { newestRevisions } from '../records/revision.store.ts';
import { type Withdrawn, withdrawnNow } from '../records/withdrawal.store.ts';
import type { Tables } from '../tables.ts';

const MAX_HISTORY_ENTRIES = 1_000;

/** An entry of a record's audit trail. */
export interface AuditTrailEntry {
  at: Date;
  action: Tables['audit']['action'];
  revision: number;
  accountId: string | null;
  reason: string | null;
}

/** A record as its reviewer sees it. */
export interface ReviewView {
  recordId: number;
  revision: number;
  status: RecordStatus;
  submissionId: number;
  submittedAt: Date;
  /** Since when it has had its status. */
  waitingSince: Date;
  ownerAccountId: string | null;
  publishedRevision: number | null;
  /** See QueuedRecord. */
  origin: string | null;
  /** When its data was erased. */
  erasedAt: Date | null;
  /** Null unless it is withdrawn. */
  withdrawn: Withdrawn | null;
  imageOnly: boolean;
  /** Null once it has been erased. */
  userMetadata: UserMetadata | null;
  data: ExperimentData;
  missingFields: string[];
  warnings: RecordWarning[];
  /** By time; of a longer history the newest 1,000. */
  history: AuditTrailEntry[];
  historyCount: number;
  /** What an approval would change of the published revision; empty where nothing is public. */
  changes: FieldDifference[];
}

/** The newest revision of a record with its history, all of one moment. Throws RECORD_NOT_FOUND. */
export function viewForReview(database: Kysely<Tables>, recordId: number): Promise<ReviewView> {
  return database
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (transaction) => {
      const record = await newestRevisions(transaction)
        .innerJoin('submission', 'submission.id', 'record.submission_id')
        .leftJoin('submitter', 'submitter.submission_id', 'record.submission_id')
        .select([
          'record.id as recordId',
          'record.revision',
          'record.status',
          'record.submission_id as submissionId',
          'submission.submitted_at as submittedAt',
          'record.status_since as waitingSince',
          'record.owner_account_id as ownerAccountId',
          'record.published_revision as publishedRevision',
          'record.origin',
          'record.erased_at as erasedAt',
          withdrawnNow.as('withdrawn'),
          'submission.image_only as imageOnly',
          'submitter.user_metadata as userMetadata',
          'record_revision.data',
          'record_revision.missing_fields as missingFields',
          'record_revision.warnings',
        ])
        .where('record.id', '=', recordId)
        .executeTakeFirst();
      if (!record) throw new ServiceError('RECORD_NOT_FOUND', `There is no record ${recordId}.`);
      const { publishedRevision, revision, data } = record;
      const published =
        publishedRevision === null || publishedRevision === revision
          ? data
          : await findData(transaction, recordId, publishedRevision);
      return { ...record, ...(await findHistory(transaction, recordId)), changes: recordDifference(published, data) };
    });
}

async function findData(transaction: Transaction<Tables>, recordId: number, revision: number): Promise<ExperimentData> {
  const { data } = await transaction
    .selectFrom('record_revision')
    .select('data')
    .where('record_id', '=', recordId)
    .where('revision', '=', revision)
    .executeTakeFirstOrThrow();
  return data;
}

async function findHistory(
  transaction: Transaction<Tables>,
  recordId: number,
): Promise<{ history: AuditTrailEntry[]; historyCount: number }> {
  const ofRecord = transaction.selectFrom('audit').where('record_id', '=', recordId);
  const newest = await ofRecord
    .select(['at', 'action', 'record_revision as revision', 'actor_account_id as accountId', 'reason'])
    .orderBy('id', 'desc')
    .limit(MAX_HISTORY_ENTRIES)
    .execute();
  const { count } = await ofRecord.select((on) => on.fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  return { history: newest.reverse(), historyCount: count };
}
