import { RecordApproved } from '@esd/proto/esd/events/v1/record_approved';
import { RecordReviewed, type ReviewChange } from '@esd/proto/esd/events/v1/record_reviewed';
import { RecordWithdrawn } from '@esd/proto/esd/events/v1/record_withdrawn';
import { addToOutbox } from '@esd/events/outbox';
import { SUBJECTS } from '@esd/events/stream';
import { publicRecordJson } from '@esd/record/catalog/public-record';
import type { Transaction } from 'kysely';
import type { RecordState } from '../records/record.store.ts';
import { findNewestData } from '../records/revision.store.ts';
import type { Tables } from '../tables.ts';

// A record has up to 256 KB, so this bounds the memory.
const CHUNK = 50;

/**
 * Adds an event to the outbox for each record, which makes its newest revision public in dataset-svc. Returns the ids of
 * the events.
 */
export async function addApprovedEvents(
  transaction: Transaction<Tables>,
  recordIds: readonly number[],
  approvedAt: Date,
): Promise<string[]> {
  const ids: string[] = [];
  for (let start = 0; start < recordIds.length; start += CHUNK) {
    const records = await findNewestData(transaction, recordIds.slice(start, start + CHUNK));
    const added = await addToOutbox(
      transaction,
      records.map(({ recordId, revision, data }) => ({
        subject: SUBJECTS.recordApproved,
        body: RecordApproved.encode({
          recordId,
          recordRevision: revision,
          recordJson: Buffer.from(publicRecordJson(recordId, data)),
          approvedAt,
        }).finish(),
      })),
    );
    ids.push(...added);
  }
  return ids;
}

/** Adds the events of withdrawn records to the outbox. */
export async function addWithdrawnEvents(
  transaction: Transaction<Tables>,
  withdrawals: readonly Tables['withdrawal'][],
): Promise<void> {
  await addToOutbox(
    transaction,
    withdrawals.map(({ record_id: recordId, revision: recordRevision, at: withdrawnAt, reason }) => ({
      subject: SUBJECTS.recordWithdrawn,
      body: RecordWithdrawn.encode({ recordId, recordRevision, withdrawnAt, reason }).finish(),
    })),
  );
}

/** Adds an event to the outbox for each account that owns decided records, and returns the ids of the events. */
export async function addReviewedEvents(
  transaction: Transaction<Tables>,
  records: readonly Pick<RecordState, 'id' | 'revision' | 'ownerAccountId'>[],
  decision: { approved: boolean; reason: string | undefined; reviewedAt: Date; change?: ReviewChange },
  delaySeconds = 0,
): Promise<string[]> {
  const { approved, reason, reviewedAt, change } = decision;
  const byOwner = Map.groupBy(records, ({ ownerAccountId }) => ownerAccountId);
  const events = [...byOwner].flatMap(([accountId, owned]) => {
    if (accountId === null) return [];
    const decisions = owned.map(({ id, revision }) => ({ recordId: id, recordRevision: revision, approved, change }));
    const body = RecordReviewed.encode({ accountId, decisions, reviewedAt, reason }).finish();
    return [{ subject: SUBJECTS.recordReviewed, body }];
  });
  return events.length > 0 ? addToOutbox(transaction, events, delaySeconds) : [];
}
