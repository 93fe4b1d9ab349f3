import type { UserMetadata } from '@esd/record/catalogue';
import type { RecordStatus } from '@esd/record/record-status';
import { type Kysely, sql, type Transaction } from 'kysely';
import { type NewRevision, revisionColumns } from '../record/revision-columns.ts';
import type { Tables } from '../tables.ts';

/** A submission and the records that an update of it is about. */
export interface UpdateTarget {
  submissionId: number;
  imageOnly: boolean;
  /** Ascending. */
  recordIds: number[];
}

/** The submission of one of an account's records; undefined when the account has no such record. */
export async function findOwnRecord(
  database: Kysely<Tables>,
  accountId: string,
  recordId: number,
): Promise<UpdateTarget | undefined> {
  const row = await database
    .selectFrom('record')
    .innerJoin('submission', 'submission.id', 'record.submission_id')
    .select(['submission.id', 'submission.image_only'])
    .where('record.id', '=', recordId)
    .where('record.owner_account_id', '=', accountId)
    .executeTakeFirst();
  return row && { submissionId: row.id, imageOnly: row.image_only, recordIds: [recordId] };
}

/** One of an account's submissions with the ids of its records; undefined when the account has none such. */
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

/** A record under lock. */
export interface LockedRecord {
  id: number;
  status: RecordStatus;
  revision: number;
  publishedRevision: number | null;
  /** Of the newest revision; null where an older schema wrote it. */
  contentHash: Buffer | null;
  /** Of the newest revision. */
  imageIds: string[];
}

/** Locks those of the records that belong to the account until the transaction ends, in the order of their ids. */
export async function lockOwnRecords(
  transaction: Transaction<Tables>,
  accountId: string,
  recordIds: readonly number[],
): Promise<Map<number, LockedRecord>> {
  const rows = await transaction
    .selectFrom('record')
    .select(['id', 'status', 'revision', 'published_revision as publishedRevision'])
    .where('id', '=', sql<number>`any(${recordIds}::bigint[])`)
    .where('owner_account_id', '=', accountId)
    .orderBy('id')
    .forUpdate()
    .execute();
  // Apart from the lock: a joined row would be of the time before the wait for it.
  const { rows: revisions } = await sql<{ id: number; contentHash: Buffer | null; imageIds: string[] }>`
    select record_revision.record_id as id, record_revision.content_hash as "contentHash",
      record_revision.image_ids as "imageIds"
    from unnest(${rows.map(({ id }) => id)}::bigint[], ${rows.map(({ revision }) => revision)}::integer[])
      as newest (id, revision)
    join record_revision on record_revision.record_id = newest.id and record_revision.revision = newest.revision
  `.execute(transaction);
  const newest = new Map(revisions.map(({ id, ...revision }) => [id, revision]));
  return new Map(
    rows.map((row) => [row.id, { ...row, ...(newest.get(row.id) ?? { contentHash: null, imageIds: [] }) }]),
  );
}

/** The next revision of a record. */
export interface NextRevision extends NewRevision {
  recordId: number;
  revision: number;
}

/** Adds revisions, makes them the newest of their records, and tells the audit trail, in one statement. */
export async function addRevisions(
  transaction: Transaction<Tables>,
  next: readonly NextRevision[],
  { accountId, requestId }: { accountId: string; requestId: string },
): Promise<void> {
  if (next.length === 0) return;
  await sql`
    with new as materialized (
      select * from rows from (
        unnest(${next.map(({ recordId }) => recordId)}::bigint[]),
        unnest(${next.map(({ revision }) => revision)}::integer[]),
        ${revisionColumns(next)}
      ) as new (id, revision, status, data, missing_fields, warnings, content_hash, duplicate_hash)
    ),
    new_revision as (
      insert into record_revision
        (record_id, revision, data, missing_fields, warnings, author_account_id, content_hash, duplicate_hash)
      select id, revision, data, missing_fields, warnings, ${accountId}::uuid, content_hash, duplicate_hash from new
    ),
    new_audit as (
      insert into audit (actor_account_id, action, record_id, record_revision, request_id)
      select ${accountId}::uuid, 'update', id, revision, ${requestId} from new order by id
    )
    update record set status = new.status, revision = new.revision, updated_at = now(),
      status_since = case when record.status = new.status then record.status_since else now() end
    from new where record.id = new.id`.execute(transaction);
}

/** Replaces what was said of the submitter. */
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
