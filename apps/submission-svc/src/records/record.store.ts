import type { RecordStatus } from '@esd/record/status/record-status';
import { type Insertable, type Kysely, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';

export interface RecordState {
  id: number;
  ownerAccountId: string | null;
  status: RecordStatus;
  revision: number;
  publishedRevision: number | null;
}

/** Locks records until the transaction ends, in the order of their ids, which prevents deadlocks. */
export async function lockRecords(
  transaction: Transaction<Tables>,
  recordIds: readonly number[],
): Promise<Map<number, RecordState>> {
  return statesById(await records(transaction).where('id', 'in', recordIds).forUpdate().execute());
}

/** Locks the first `limit` pending records of an origin, by id. */
export async function lockPendingOf(
  transaction: Transaction<Tables>,
  origin: string,
  limit: number,
): Promise<Map<number, RecordState>> {
  const pending = records(transaction).where('origin', '=', origin).where('status', '=', 'PENDING');
  return statesById(await pending.limit(limit).forUpdate().execute());
}

function records(transaction: Transaction<Tables>) {
  return transaction
    .selectFrom('record')
    .select([
      'id',
      'owner_account_id as ownerAccountId',
      'status',
      'revision',
      'published_revision as publishedRevision',
    ])
    .orderBy('id');
}

function statesById(rows: readonly RecordState[]): Map<number, RecordState> {
  return new Map(rows.map((row) => [row.id, row]));
}

export interface LockedRecord {
  id: number;
  status: RecordStatus;
  revision: number;
  publishedRevision: number | null;
  /** Hash of the newest revision; null once its data is erased. */
  contentHash: Buffer | null;
  imageIds: string[];
}

/** Locks the records that belong to the account until the transaction ends, in the order of their ids. */
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
  // Separate from the lock: a joined row would predate the wait for the lock.
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

export interface UpdateTarget {
  submissionId: number;
  imageOnly: boolean;
  /** Ascending. */
  recordIds: number[];
}

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

/**
 * Sets the status of the newest revision of records. An approved revision replaces the published one, and its event makes
 * it public; after a rejection, the published one remains.
 */
export async function markReviewed(
  transaction: Transaction<Tables>,
  recordIds: readonly number[],
  status: 'APPROVED' | 'REJECTED',
): Promise<void> {
  await transaction
    .updateTable('record')
    .set((set) => ({
      status,
      ...(status === 'APPROVED' ? { published_revision: set.ref('revision') } : {}),
      origin: null,
      updated_at: sql`now()`,
      status_since: sql`now()`,
    }))
    .where('id', 'in', recordIds)
    .execute();
}

export async function addAudit(
  transaction: Transaction<Tables>,
  entries: Insertable<Tables['audit']>[],
): Promise<void> {
  await transaction.insertInto('audit').values(entries).execute();
}
