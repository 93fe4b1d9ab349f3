import { RecordApproved } from '@esd/proto/esd/events/v1/record_approved';
import { RecordReviewed } from '@esd/proto/esd/events/v1/record_reviewed';
import { addToOutbox } from '@esd/events/outbox';
import { SUBJECTS } from '@esd/events/stream';
import { publicRecordJson } from '@esd/record/catalogue/public-record';
import type { Transaction } from 'kysely';
import type { RecordState } from '../records/record.store.ts';
import { findNewestData } from '../records/revision.store.ts';
import type { Tables } from '../tables.ts';

// Records are up to 256 KB each; no more than these are in memory at once.
const CHUNK = 50;

/** Adds to the outbox that the newest revisions of records have become public, an event for each. */
export async function addApprovedEvents(
  transaction: Transaction<Tables>,
  recordIds: readonly number[],
  approvedAt: Date,
): Promise<void> {
  for (let start = 0; start < recordIds.length; start += CHUNK) {
    const records = await findNewestData(transaction, recordIds.slice(start, start + CHUNK));
    await addToOutbox(
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
  }
}

/** Adds to the outbox how the records of a batch were decided, an event for each account that owns some of them. */
export async function addReviewedEvents(
  transaction: Transaction<Tables>,
  records: readonly RecordState[],
  decision: { approved: boolean; reason: string | undefined; reviewedAt: Date },
): Promise<void> {
  const { approved, reason, reviewedAt } = decision;
  const byOwner = Map.groupBy(records, ({ ownerAccountId }) => ownerAccountId);
  const events = [...byOwner].flatMap(([accountId, owned]) => {
    // A record without an owner has no recipient.
    if (accountId === null) return [];
    const decisions = owned.map(({ id, revision }) => ({ recordId: id, recordRevision: revision, approved }));
    const body = RecordReviewed.encode({ accountId, decisions, reviewedAt, reason }).finish();
    return [{ subject: SUBJECTS.recordReviewed, body }];
  });
  if (events.length > 0) await addToOutbox(transaction, events);
}
