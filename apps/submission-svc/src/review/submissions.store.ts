import type { ExperimentData } from '@esd/record/catalog/catalog';
import { type QueueKind, queueKinds } from '@esd/record/status/queue-kinds';
import type { RecordStatus } from '@esd/record/status/record-status';
import { ServiceError } from '@esd/service/errors';
import { type Kysely, sql, type Transaction } from 'kysely';
import { newestRevisions } from '../records/revision.store.ts';
import { countUnread, unreadMessages } from '../messages/unread.store.ts';
import type { Tables } from '../tables.ts';
import { kindConditions, type QueueCounts } from './kind-conditions.ts';
import { type SummaryCells, submissionSummary, summaryCells } from './record-summary.ts';
import { submissionTable, type TableColumn, type TableRow } from './submission-table.ts';

export interface SubmissionsQuery {
  status: RecordStatus;
  kind: QueueKind;
  skip: number;
  limit: number;
}

export interface SubmissionEntry {
  submissionId: number;
  submittedAt: Date;
  waitingSince: Date;
  submitterName: string | null;
  ownerAccountId: string | null;
  records: Record<RecordStatus, number>;
  /** Warnings of the records with the requested status. */
  warningCount: number;
  /** Messages of the owner that no moderator has read, on records with the requested status. */
  unread: number;
  polymers: string[];
  summary: string;
  doi: string | undefined;
  publicationTitle: string | undefined;
}

/**
 * Returns a page of the submissions that have a record with the status, longest waiting first, and the numbers of
 * submissions per kind, from one state of the database.
 */
export function findSubmissions(
  database: Kysely<Tables>,
  { status, kind, skip, limit }: SubmissionsQuery,
): Promise<{ entries: SubmissionEntry[]; counts: QueueCounts }> {
  return database
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (transaction) => {
      const conditions = kindConditions(transaction);
      const isAny = queueKinds.map((one) => sql`bool_or(${conditions[one]}) as ${sql.id(one)}`);
      const counted = queueKinds.map((one) => sql`count(*) filter (where ${sql.id(one)}) as ${sql.id(one)}`);
      const { rows } = await sql<QueueCounts & { ids: number[] }>`
        with listed as materialized (
          select record.submission_id as id, min(record.status_since) as since, ${sql.join(isAny)}
          from record where record.status = ${status} group by record.submission_id
        )
        select ${sql.join(counted)}, array(
          select id from listed where ${sql.id(kind)} order by since, id offset ${skip} limit ${limit}
        ) as ids
        from listed`.execute(transaction);
      const [listed] = rows;
      if (!listed) throw new Error('the counts have no row');
      const { ids, ...counts } = listed;
      return { entries: await findEntries(transaction, ids.map(Number), status), counts };
    });
}

type Described = Pick<SubmissionEntry, 'polymers' | 'summary' | 'doi' | 'publicationTitle'>;

async function findEntries(
  transaction: Transaction<Tables>,
  ids: readonly number[],
  status: RecordStatus,
): Promise<SubmissionEntry[]> {
  if (ids.length === 0) return [];
  const described = new Map<number, Described>();
  await eachSubmission(transaction, ids, (id, records) => {
    described.set(id, {
      polymers: [...new Set(records.flatMap(({ polymers }) => polymers))],
      summary: submissionSummary(records.map(({ cells }) => cells)),
      doi: common(records, ({ doi }) => doi),
      publicationTitle: common(records, ({ publicationTitle }) => publicationTitle),
    });
  });
  const counted = (one: RecordStatus) => sql`count(*) filter (where record.status = ${one})`;
  const unread = unreadMessages(transaction)
    .select(({ fn }) => ['message.record_id', fn.countAll<number>().as('messages')])
    .where('message.from_owner', '=', true)
    .groupBy('message.record_id');
  const { rows } = await sql<Omit<SubmissionEntry, keyof Described>>`
    select submission.id as "submissionId", submission.submitted_at as "submittedAt",
      min(record.status_since) filter (where record.status = ${status}) as "waitingSince",
      min(submitter.user_metadata ->> 'name') as "submitterName", min(record.owner_account_id::text) as "ownerAccountId",
      json_build_object('PENDING', ${counted('PENDING')}, 'APPROVED', ${counted('APPROVED')},
        'REJECTED', ${counted('REJECTED')}, 'NEEDS_UPDATE', ${counted('NEEDS_UPDATE')}) as records,
      coalesce(sum(json_array_length(newest.warnings)) filter (where record.status = ${status}), 0)::bigint
        as "warningCount",
      coalesce(sum(unread.messages) filter (where record.status = ${status}), 0)::bigint as unread
    from submission
    join record on record.submission_id = submission.id
    join record_revision as newest on newest.record_id = record.id and newest.revision = record.revision
    left join submitter on submitter.submission_id = submission.id
    left join (${unread}) as unread on unread.record_id = record.id
    where submission.id = any(${ids}::bigint[])
    group by submission.id
    order by array_position(${ids}::bigint[], submission.id)`.execute(transaction);
  return rows.map((row) => ({
    ...row,
    ...(described.get(row.submissionId) ?? { polymers: [], summary: '', doi: undefined, publicationTitle: undefined }),
  }));
}

export interface SummarizedRecord {
  recordId: number;
  polymers: string[];
  doi: string | undefined;
  publicationTitle: string | undefined;
  cells: SummaryCells;
}

// A submission has up to 1,000 records; this bounds the memory.
const SUBMISSIONS_AT_ONCE = 20;

/** Calls `describe` with all records of each submission, by ascending id, in parts of a few submissions. */
export async function eachSubmission(
  transaction: Transaction<Tables>,
  submissionIds: readonly number[],
  describe: (submissionId: number, records: readonly SummarizedRecord[]) => void,
): Promise<void> {
  for (let start = 0; start < submissionIds.length; start += SUBMISSIONS_AT_ONCE) {
    const ids = submissionIds.slice(start, start + SUBMISSIONS_AT_ONCE);
    const { rows } = await sql<{ submissionId: number; recordId: number; polymers: string[]; data: ExperimentData }>`
      select record.submission_id as "submissionId", record.id as "recordId", newest.polymers,
        json_build_object(${sql.join(SUMMARY_MEMBERS.map((name) => sql`${sql.lit(name)}, newest.data -> ${sql.lit(name)}`))}) as data
      from record join record_revision as newest on newest.record_id = record.id and newest.revision = record.revision
      where record.submission_id = any(${ids}::bigint[])
      order by record.id`.execute(transaction);
    const records = rows.map(({ submissionId, recordId, polymers, data }) => {
      const { doi, publicationTitle } = data.researchMetadata ?? {};
      return { submissionId, recordId, polymers, doi, publicationTitle, cells: summaryCells(data) };
    });
    for (const [submissionId, together] of Map.groupBy(records, (one) => one.submissionId)) {
      describe(submissionId, together);
    }
  }
}

/** The groups of a record that its summary reads, without free objects and images. */
const SUMMARY_MEMBERS = [
  'researchMetadata',
  'polymerProperty',
  'solventProperty',
  'solutionProperty',
  'processParameter',
  'fiberProperty',
] as const satisfies readonly (keyof ExperimentData)[];

function common<Item>(items: readonly Item[], valueOf: (item: Item) => string | undefined): string | undefined {
  const [first] = items;
  const value = first && valueOf(first);
  return items.every((item) => valueOf(item) === value) ? value : undefined;
}

export interface SubmissionTable {
  submissionId: number;
  submittedAt: Date;
  submitterName: string | null;
  ownerAccountId: string | null;
  columns: TableColumn[];
  rows: (TableRow & { duplicates: number[]; unread: number })[];
}

// A record has up to 256 KB, so this bounds the memory.
const RECORDS_AT_ONCE = 100;
const MAX_DUPLICATES = 20;

/** Returns all records of a submission as a table, from one state of the database. Throws SUBMISSION_NOT_FOUND. */
export function findSubmissionTable(database: Kysely<Tables>, submissionId: number): Promise<SubmissionTable> {
  return database
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (transaction) => {
      const submission = await transaction
        .selectFrom('submission')
        .leftJoin('submitter', 'submitter.submission_id', 'submission.id')
        .select(['submission.submitted_at as submittedAt', 'submitter.user_metadata as userMetadata'])
        .where('submission.id', '=', submissionId)
        .executeTakeFirst();
      if (!submission) throw new ServiceError('SUBMISSION_NOT_FOUND', `There is no submission ${submissionId}.`);
      const table = submissionTable();
      const hashes = new Map<number, string>();
      let ownerAccountId: string | null = null;
      for (let after = 0; ;) {
        const records = await recordsAfter(transaction, submissionId, after);
        for (const { duplicateHash, ownerAccountId: owner, ...record } of records) {
          table.add(record);
          if (duplicateHash) hashes.set(record.recordId, duplicateHash.toString('hex'));
          ownerAccountId = owner;
          after = record.recordId;
        }
        if (records.length < RECORDS_AT_ONCE) break;
      }
      const same = await findSame(transaction, new Set(hashes.values()));
      const { columns, rows } = table.finish();
      const unread = await countUnread(
        transaction,
        rows.map(({ recordId }) => recordId),
      );
      return {
        submissionId,
        submittedAt: submission.submittedAt,
        submitterName: submission.userMetadata?.name ?? null,
        ownerAccountId,
        columns,
        rows: rows.map((row) => {
          const others = same.get(hashes.get(row.recordId) ?? '') ?? [];
          return {
            ...row,
            duplicates: others.filter((id) => id !== row.recordId).slice(0, MAX_DUPLICATES),
            unread: unread.get(row.recordId)?.byModerators ?? 0,
          };
        }),
      };
    });
}

function recordsAfter(transaction: Transaction<Tables>, submissionId: number, after: number) {
  return newestRevisions(transaction)
    .leftJoin('record_revision as public', (join) =>
      join
        .onRef('public.record_id', '=', 'record.id')
        .onRef('public.revision', '=', 'record.published_revision')
        .onRef('public.revision', '<>', 'record.revision'),
    )
    .select([
      'record.id as recordId',
      'record.revision',
      'record.status',
      'record.published_revision as publishedRevision',
      'record.owner_account_id as ownerAccountId',
      'record_revision.data',
      'record_revision.warnings',
      'record_revision.duplicate_hash as duplicateHash',
      'public.data as published',
    ])
    .where('record.submission_id', '=', submissionId)
    .where('record.id', '>', after)
    .orderBy('record.id')
    .limit(RECORDS_AT_ONCE)
    .execute();
}

/** Finds the records whose newest or public revision has one of the hashes (hex): the first ones by id for each hash. */
async function findSame(
  transaction: Transaction<Tables>,
  hashes: ReadonlySet<string>,
): Promise<ReadonlyMap<string, readonly number[]>> {
  if (hashes.size === 0) return new Map();
  const { rows } = await sql<{ hash: Buffer; ids: number[] }>`
    select wanted.hash, array(
      select distinct record.id from record_revision
      join record on record.id = record_revision.record_id
        and record_revision.revision in (record.revision, record.published_revision)
      where record_revision.duplicate_hash = wanted.hash
      order by record.id limit ${MAX_DUPLICATES + 1}
    ) as ids
    from unnest(${[...hashes].map((hash) => Buffer.from(hash, 'hex'))}::bytea[]) as wanted (hash)`.execute(transaction);
  return new Map(rows.map(({ hash, ids }) => [hash.toString('hex'), ids.map(Number)]));
}
