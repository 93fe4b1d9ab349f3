import type { ExperimentData } from '@esd/record/catalogue';
import type { RecordStatus } from '@esd/record/record-status';
import { type Insertable, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';

/** A record and its newest revision, without the data. */
export interface RecordState {
  id: number;
  ownerAccountId: string | null;
  status: RecordStatus;
  revision: number;
}

/** Locks records until the transaction ends, in the order of their ids, so that two reviews never wait for each other. */
export async function lockRecords(
  transaction: Transaction<Tables>,
  recordIds: readonly number[],
): Promise<Map<number, RecordState>> {
  return statesById(await records(transaction).where('id', 'in', recordIds).forUpdate().execute());
}

/** As lockRecords, those that came from an origin and await review: the first ones by id, up to `limit`. */
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
    .select(['id', 'owner_account_id as ownerAccountId', 'status', 'revision'])
    .orderBy('id');
}

function statesById(rows: readonly RecordState[]): Map<number, RecordState> {
  return new Map(rows.map((row) => [row.id, row]));
}

/** Data of the newest revisions, by record id. */
export async function findNewestData(
  transaction: Transaction<Tables>,
  recordIds: readonly number[],
): Promise<{ recordId: number; revision: number; data: ExperimentData }[]> {
  return transaction
    .selectFrom('record')
    .innerJoin('record_revision', (join) =>
      join
        .onRef('record_revision.record_id', '=', 'record.id')
        .onRef('record_revision.revision', '=', 'record.revision'),
    )
    .select(['record.id as recordId', 'record.revision', 'record_revision.data'])
    .where('record.id', 'in', recordIds)
    .orderBy('record.id')
    .execute();
}

/** Makes the newest revision of records the public one. */
export async function markApproved(transaction: Transaction<Tables>, recordIds: readonly number[]): Promise<void> {
  await transaction
    .updateTable('record')
    .set((set) => ({
      status: 'APPROVED',
      published_revision: set.ref('revision'),
      origin: null,
      updated_at: sql`now()`,
      status_since: sql`now()`,
    }))
    .where('id', 'in', recordIds)
    .execute();
}

/** Declines the newest revision of records; a published one stays. */
export async function markRejected(transaction: Transaction<Tables>, recordIds: readonly number[]): Promise<void> {
  await transaction
    .updateTable('record')
    .set({ status: 'REJECTED', origin: null, updated_at: sql`now()`, status_since: sql`now()` })
    .where('id', 'in', recordIds)
    .execute();
}

/** Adds entries to the audit trail. */
export async function addAudit(
  transaction: Transaction<Tables>,
  entries: Insertable<Tables['audit']>[],
): Promise<void> {
  await transaction.insertInto('audit').values(entries).execute();
}
