import type { References } from '@esd/record/reference/reference';
import { fold } from '@esd/record/reference/fold';
import { type QueueKind, queueKinds } from '@esd/record/status/queue-kinds';
import type { RecordStatus } from '@esd/record/status/record-status';
import { termMatcher } from '@esd/record/filter/text-terms';
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import { type Withdrawn, withdrawnNow } from '../records/withdrawal.store.ts';
import { countUnread } from '../messages/unread.store.ts';
import type { Tables } from '../tables.ts';
import { kindConditions, type QueueCounts } from './kind-conditions.ts';
import { recordSummaries } from './record-summary.ts';
import { eachSubmission } from './submissions.store.ts';

export interface QueueQuery {
  status: RecordStatus;
  kind: QueueKind;
  /** An account id, or part of the name or email address in userMetadata, ignoring case. */
  submitter: string | undefined;
  /** The record must contain one of these polymers; undefined allows any. */
  polymers: readonly string[] | undefined;
  origin: string | undefined;
  submissionId: number | undefined;
  skip: number;
  limit: number;
}

export interface QueuedRecord {
  recordId: number;
  revision: number;
  status: RecordStatus;
  submissionId: number;
  submittedAt: Date;
  waitingSince: Date;
  ownerAccountId: string | null;
  submitterName: string | null;
  polymers: string[];
  publicationTitle: string | null;
  doi: string | null;
  warningCount: number;
  publishedRevision: number | null;
  /** Origin of a pending record without an account; equal for records of one network in one month. */
  origin: string | null;
  erasedAt: Date | null;
  withdrawn: Withdrawn | null;
  /** The values that distinguish the record within its submission. */
  summary: string;
  /** Messages of the owner that no moderator has read. */
  unread: number;
}

/**
 * Returns a page of the records with a status, longest waiting first, and the numbers of records per kind, from one state
 * of the database.
 */
export function findQueue(
  database: Kysely<Tables>,
  query: QueueQuery,
): Promise<{ entries: QueuedRecord[]; counts: QueueCounts }> {
  const matching = sql`
    from record
    left join submitter on submitter.submission_id = record.submission_id
    where record.status = ${query.status} ${ofSubmitter(query.submitter)} ${withPolymer(query.polymers)} ${ofOrigin(query.origin)}
      ${ofSubmission(query.submissionId)}`;
  return database
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (transaction) => {
      const conditions = kindConditions(transaction);
      const page = await sql<{ id: number }>`
        select record.id ${matching} and ${conditions[query.kind]} order by record.status_since, record.id offset ${query.skip} limit ${query.limit}
      `.execute(transaction);
      const counted = await sql<QueueCounts>`
        select ${sql.join(
          queueKinds.map((kind) => sql`count(*) filter (where ${conditions[kind]}) as ${sql.id(kind)}`),
        )} ${matching}`.execute(transaction);
      const ids = page.rows.map(({ id }) => id);
      // Reads the data of only the records on this page of results.
      const { rows } = await sql<Omit<QueuedRecord, 'summary' | 'unread'>>`
        select record.id as "recordId", record.revision, record.status, record.submission_id as "submissionId",
          submission.submitted_at as "submittedAt", record.status_since as "waitingSince",
          record.owner_account_id as "ownerAccountId", submitter.user_metadata ->> 'name' as "submitterName",
          record_revision.polymers, record_revision.data #>> '{researchMetadata,publicationTitle}' as "publicationTitle",
          record_revision.data #>> '{researchMetadata,doi}' as doi,
          json_array_length(record_revision.warnings) as "warningCount", record.published_revision as "publishedRevision",
          record.origin, record.erased_at as "erasedAt", ${withdrawnNow} as withdrawn
        from record
        join record_revision on record_revision.record_id = record.id and record_revision.revision = record.revision
        join submission on submission.id = record.submission_id
        left join submitter on submitter.submission_id = record.submission_id
        where record.id = any(${ids}::bigint[])
        order by record.status_since, record.id`.execute(transaction);
      const summaries = await summariesOf(transaction, [...new Set(rows.map(({ submissionId }) => submissionId))]);
      const [counts] = counted.rows;
      if (!counts) throw new Error('the counts have no row');
      const unread = await countUnread(transaction, ids);
      const entries = rows.map((row) => ({
        ...row,
        summary: summaries.get(row.recordId) ?? '',
        unread: unread.get(row.recordId)?.byModerators ?? 0,
      }));
      return { entries, counts };
    });
}

async function summariesOf(
  transaction: Transaction<Tables>,
  submissionIds: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const summaries = new Map<number, string>();
  await eachSubmission(transaction, submissionIds, (_, records) => {
    const texts = recordSummaries(records.map(({ cells }) => cells));
    records.forEach(({ recordId }, at) => summaries.set(recordId, texts[at] ?? ''));
  });
  return summaries;
}

/** Returns the names under which records store the polymers that a text in the filter of the dataset matches. */
export function polymersFound(references: References, text: string): string[] {
  const condition = { kind: 'text', key: 'polymer', text: fold(text) } as const;
  const matches = termMatcher(condition, references);
  const found = references.lists.polymers.filter(({ name }) => matches(name));
  // A record keeps the old name of a renamed polymer, which is an alias now.
  return found.flatMap(({ name, aliases }) => [name, ...aliases]);
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function ofSubmitter(submitter: string | undefined): RawBuilder<unknown> {
  if (submitter === undefined) return sql``;
  if (UUID.test(submitter)) return sql`and record.owner_account_id = ${submitter}::uuid`;
  const holds = (member: string) =>
    sql`strpos(lower(submitter.user_metadata ->> ${member}), lower(${submitter}::text)) > 0`;
  return sql`and (${holds('name')} or ${holds('email')})`;
}

function ofOrigin(origin: string | undefined): RawBuilder<unknown> {
  return origin === undefined ? sql`` : sql`and record.origin = ${origin}`;
}

function ofSubmission(submissionId: number | undefined): RawBuilder<unknown> {
  return submissionId === undefined ? sql`` : sql`and record.submission_id = ${submissionId}`;
}

function withPolymer(polymers: readonly string[] | undefined): RawBuilder<unknown> {
  if (polymers === undefined) return sql``;
  return sql`and exists (
    select from record_revision as newest
    where newest.record_id = record.id and newest.revision = record.revision and newest.polymers ?| ${polymers}::text[]
  )`;
}
