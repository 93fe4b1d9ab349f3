import type { ResearchMetadata, UserMetadata } from '@esd/record/catalog/catalog';
import type { RecordStatus } from '@esd/record/status/record-status';
import { type Kysely, sql } from 'kysely';
import { countUnread, needsAnswer } from '../messages/unread.store.ts';
import { newestRevisions } from '../records/revision.store.ts';
import { withdrawnNow } from '../records/withdrawal.store.ts';
import type { Tables } from '../tables.ts';
import type { OwnRecordState } from './own-record.ts';

// A record has up to 256 KB, so this bounds the memory.
const ROWS_PER_STATEMENT = 50;
const STATES_PER_STATEMENT = 1_000;
const SUBMISSIONS_PER_STATEMENT = 20;

/** Part of a list by ascending id; no limit means all that follow. */
export interface Page {
  skip: number;
  limit: number | undefined;
}

export interface OwnRecord extends OwnRecordState {
  data: string;
}

export async function findOwnRecordIds(
  database: Kysely<Tables>,
  accountId: string,
  status: RecordStatus | undefined,
  { skip, limit }: Page,
): Promise<number[]> {
  let query = database.selectFrom('record').select('id').where('owner_account_id', '=', accountId);
  if (status !== undefined) query = query.where('status', '=', status);
  if (limit !== undefined) query = query.limit(limit);
  const rows = await query.orderBy('id').offset(skip).execute();
  return rows.map((row) => row.id);
}

/** Yields an account's records by ascending id, read in batches: each at most once, in its state at that time. */
export async function* ownRecords(
  database: Kysely<Tables>,
  accountId: string,
  status: RecordStatus | undefined,
  { skip, limit = Infinity }: Page,
): AsyncGenerator<OwnRecord> {
  let last = 0;
  let offset = skip;
  let left = limit;
  while (left > 0) {
    // Does not read the data yet, so that an index can provide the order.
    let query = database
      .selectFrom('record')
      .select(['id as recordId', 'status', 'revision', 'published_revision as publishedRevision'])
      .select(withdrawnNow.as('withdrawn'))
      .where('owner_account_id', '=', accountId)
      .where('id', '>', last);
    if (status !== undefined) query = query.where('status', '=', status);
    const wanted = Math.min(left, STATES_PER_STATEMENT);
    const states = await query.orderBy('id').offset(offset).limit(wanted).execute();
    let index = 0;
    for await (const content of revisionContents(database, states)) {
      const state = states[index];
      if (!state) throw new Error('more revisions than requested');
      yield { ...state, ...content };
      index += 1;
    }
    if (states.length < wanted) return;
    last = states.at(-1)?.recordId ?? last;
    offset = 0;
    left -= states.length;
  }
}

export interface OwnSubmission {
  submissionId: number;
  submittedAt: Date;
  imageOnly: boolean;
  userMetadata: UserMetadata;
}

export interface OwnRecordHead extends OwnRecordState {
  researchMetadata: ResearchMetadata | null;
}

/** Finds one of an account's submissions by its id or by that of a record. */
export async function findOwnSubmission(
  database: Kysely<Tables>,
  accountId: string,
  by: { submissionId: number } | { recordId: number },
): Promise<OwnSubmission | undefined> {
  return database
    .selectFrom('submission')
    .leftJoin('submitter', 'submitter.submission_id', 'submission.id')
    .select([
      'submission.id as submissionId',
      'submission.submitted_at as submittedAt',
      'submission.image_only as imageOnly',
      sql<UserMetadata>`coalesce(submitter.user_metadata, '{}')`.as('userMetadata'),
    ])
    .where('submission.owner_account_id', '=', accountId)
    .where('submission.id', '=', 'submissionId' in by ? by.submissionId : submissionOf(by.recordId, accountId))
    .executeTakeFirst();
}

function submissionOf(recordId: number, accountId: string) {
  return sql<number>`(select submission_id from record where id = ${recordId} and owner_account_id = ${accountId})`;
}

export async function findRecordHeads(
  database: Kysely<Tables>,
  by: { submissionId: number } | { recordId: number },
): Promise<OwnRecordHead[]> {
  return newestRevisions(database)
    .select([
      'record.id as recordId',
      'record.status',
      'record.revision',
      'record.published_revision as publishedRevision',
      withdrawnNow.as('withdrawn'),
      'record_revision.missing_fields as missingFields',
      sql<ResearchMetadata | null>`record_revision.data -> 'researchMetadata'`.as('researchMetadata'),
    ])
    .where(
      'submissionId' in by ? 'record.submission_id' : 'record.id',
      '=',
      'submissionId' in by ? by.submissionId : by.recordId,
    )
    .orderBy('record.id')
    .execute();
}

type RevisionContent = Required<Pick<OwnRecord, 'data' | 'missingFields' | 'rejectionReason'>>;

/** Yields the contents of revisions in the given order. Revisions never change, even if the record does. */
export async function* revisionContents(
  database: Kysely<Tables>,
  revisions: readonly { recordId: number; revision: number }[],
): AsyncGenerator<RevisionContent> {
  for (let start = 0; start < revisions.length; start += ROWS_PER_STATEMENT) {
    const part = revisions.slice(start, start + ROWS_PER_STATEMENT);
    const { rows } = await sql<RevisionContent & { id: number }>`
      select record_revision.record_id as id, record_revision.data::text as data,
        record_revision.missing_fields as "missingFields",
        (
          select reason from audit
          where audit.record_id = requested.id and audit.record_revision = requested.revision and action in ('reject', 'withdraw')
          order by audit.id desc limit 1
        ) as "rejectionReason"
      from unnest(${part.map(({ recordId }) => recordId)}::bigint[], ${part.map(({ revision }) => revision)}::integer[])
        as requested (id, revision)
      join record_revision on record_revision.record_id = requested.id and record_revision.revision = requested.revision
    `.execute(database);
    const contents = new Map(rows.map(({ id, ...content }) => [id, content]));
    for (const { recordId } of part) {
      const content = contents.get(recordId);
      if (content === undefined) throw new Error(`record ${recordId} was deleted while it was read`);
      yield content;
    }
  }
}

export interface SubmissionStates {
  submissionId: number;
  submittedAt: Date;
  records: {
    recordId: number;
    status: RecordStatus;
    missingFields: string[];
    sampleId: string | null;
    /** Number of messages that the owner has not read. */
    unread: number;
    needsAnswer: boolean;
  }[];
}

export async function* ownSubmissions(
  database: Kysely<Tables>,
  accountId: string,
  { skip, limit = Infinity }: Page,
): AsyncGenerator<SubmissionStates> {
  let last = 0;
  let offset = skip;
  let left = limit;
  while (left > 0) {
    const wanted = Math.min(left, SUBMISSIONS_PER_STATEMENT);
    const submissions = await database
      .selectFrom('submission')
      .select(['id as submissionId', 'submitted_at as submittedAt'])
      .where('owner_account_id', '=', accountId)
      .where('id', '>', last)
      .orderBy('id')
      .offset(offset)
      .limit(wanted)
      .execute();
    const ids = submissions.map(({ submissionId }) => submissionId);
    const records = Map.groupBy(await recordStates(database, ids), (record) => record.submissionId);
    for (const submission of submissions) {
      const own = records.get(submission.submissionId) ?? [];
      yield { ...submission, records: own.map(({ submissionId: _, ...state }) => state) };
    }
    if (submissions.length < wanted) return;
    last = ids.at(-1) ?? last;
    offset = 0;
    left -= submissions.length;
  }
}

async function recordStates(database: Kysely<Tables>, submissionIds: readonly number[]) {
  const states = await newestRevisions(database)
    .select([
      'record.submission_id as submissionId',
      'record.id as recordId',
      'record.status',
      'record_revision.missing_fields as missingFields',
      sql<string | null>`record_revision.data #>> '{researchMetadata,sampleId}'`.as('sampleId'),
    ])
    .where('record.submission_id', '=', sql<number>`any(${submissionIds}::bigint[])`)
    .orderBy('record.id')
    .execute();
  const counts = await countUnread(
    database,
    states.map(({ recordId }) => recordId),
  );
  return states.map((state) => {
    const unread = counts.get(state.recordId)?.byOwner ?? 0;
    return { ...state, unread, needsAnswer: needsAnswer(state.status, unread) };
  });
}
