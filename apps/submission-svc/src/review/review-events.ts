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

/** Adds to the outbox that a record is public no longer; `revision` is the one that its withdrawal made. */
export async function addWithdrawnEvent(
  transaction: Transaction<Tables>,
  withdrawn: { recordId: number; revision: number; at: Date; reason: string },
): Promise<void> {
  const { recordId, revision: recordRevision, at: withdrawnAt, reason } = withdrawn;
  const body = RecordWithdrawn.encode({ recordId, recordRevision, withdrawnAt, reason }).finish();
  await addToOutbox(transaction, [{ subject: SUBJECTS.recordWithdrawn, body }]);
}

/** Adds to the outbox how the records of a batch were decided, an event for each account that owns some of them. */
export async function addReviewedEvents(
  transaction: Transaction<Tables>,
  records: readonly Pick<RecordState, 'id' | 'revision' | 'ownerAccountId'>[],
  decision: { approved: boolean; reason: string | undefined; reviewedAt: Date; change?: ReviewChange },
): Promise<void> {
  const { approved, reason, reviewedAt, change } = decision;
  const byOwner = Map.groupBy(records, ({ ownerAccountId }) => ownerAccountId);
  const events = [...byOwner].flatMap(([accountId, owned]) => {
    // A record without an owner has no recipient.
    if (accountId === null) return [];
    const decisions = owned.map(({ id, revision }) => ({ recordId: id, recordRevision: revision, approved, change }));
    const body = RecordReviewed.encode({ accountId, decisions, reviewedAt, reason }).finish();
    return [{ subject: SUBJECTS.recordReviewed, body }];
  });
  if (events.length > 0) await addToOutbox(transaction, events);
}
