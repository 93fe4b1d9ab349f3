import type { ExperimentData, UserMetadata } from '@esd/record/catalog/catalog';
import type { RecordWarning } from '@esd/record/validate/problems';
import { type FieldDifference, recordDifference } from '@esd/record/catalog/record-difference';
import type { RecordStatus } from '@esd/record/status/record-status';
import { ServiceError } from '@esd/service/errors';
import { type Kysely, sql, type Transaction } from 'kysely';
import { countUnread } from '../messages/unread.store.ts';
import { newestRevisions } from '../records/revision.store.ts';
import { type Withdrawn, withdrawnNow } from '../records/withdrawal.store.ts';
import type { Tables } from '../tables.ts';

const MAX_HISTORY_ENTRIES = 1_000;
const MAX_DUPLICATES = 20;

export interface AuditTrailEntry {
  at: Date;
  action: Tables['audit']['action'];
  revision: number;
  accountId: string | null;
  reason: string | null;
}

export interface ReviewView {
  recordId: number;
  revision: number;
  status: RecordStatus;
  submissionId: number;
  submittedAt: Date;
  waitingSince: Date;
  ownerAccountId: string | null;
  publishedRevision: number | null;
  origin: string | null;
  erasedAt: Date | null;
  withdrawn: Withdrawn | null;
  imageOnly: boolean;
  /** Null once it has been erased. */
  userMetadata: UserMetadata | null;
  data: ExperimentData;
  missingFields: string[];
  warnings: RecordWarning[];
  history: AuditTrailEntry[];
  historyCount: number;
  /** Changes that an approval would make to the public revision; empty if no revision is public. */
  changes: FieldDifference[];
  /** The last published revision, even if the record is withdrawn; undefined if it is the newest one. */
  published: ExperimentData | undefined;
  duplicates: DuplicateRecord[];
  /** Messages of the owner that no moderator has read. */
  unread: number;
}

export interface DuplicateRecord {
  recordId: number;
  status: RecordStatus;
  published: boolean;
}

/** Returns a record for review, from one state of the database. Throws RECORD_NOT_FOUND. */
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
          'record_revision.duplicate_hash as duplicateHash',
        ])
        .leftJoin('withdrawal', 'withdrawal.record_id', 'record.id')
        .select((on) =>
          on.fn.coalesce('record.published_revision', 'withdrawal.published_revision').as('lastPublished'),
        )
        .where('record.id', '=', recordId)
        .executeTakeFirst();
      if (!record) throw new ServiceError('RECORD_NOT_FOUND', `There is no record ${recordId}.`);
      const { duplicateHash, lastPublished, ...view } = record;
      const { publishedRevision, revision, data } = view;
      const published =
        lastPublished === null || lastPublished === revision
          ? undefined
          : await findData(transaction, recordId, lastPublished);
      return {
        ...view,
        ...(await findHistory(transaction, recordId)),
        changes: publishedRevision === null ? [] : recordDifference(published ?? data, data),
        published,
        duplicates: duplicateHash ? await findDuplicateRecords(transaction, recordId, duplicateHash) : [],
        unread: (await countUnread(transaction, [recordId])).get(recordId)?.byModerators ?? 0,
      };
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

/** Finds records whose newest or public revision has the same duplicate hash, by ascending id. */
async function findDuplicateRecords(
  transaction: Transaction<Tables>,
  recordId: number,
  duplicateHash: Buffer,
): Promise<DuplicateRecord[]> {
  const { rows } = await sql<DuplicateRecord>`
    select distinct record.id as "recordId", record.status, record.published_revision is not null as published
    from record_revision
    join record on record.id = record_revision.record_id
      and record_revision.revision in (record.revision, record.published_revision)
    where record_revision.duplicate_hash = ${duplicateHash} and record.id <> ${recordId}
    order by record.id limit ${MAX_DUPLICATES}`.execute(transaction);
  return rows;
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
