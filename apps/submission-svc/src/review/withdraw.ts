import { ReviewChange } from '@esd/proto/esd/events/v1/record_reviewed';
import { nextStatus, type RecordEvent } from '@esd/record/status/record-status';
import { requireRole } from '@esd/service/auth/require-caller';
import { ServiceError } from '@esd/service/errors';
import { type Kysely, sql, type Transaction } from 'kysely';
import { addAudit, lockRecords, type RecordState } from '../records/record.store.ts';
import { findWithdrawal, repeatRevisions, storeWithdrawals, type Withdrawn } from '../records/withdrawal.store.ts';
import type { Tables } from '../tables.ts';
import { type ReviewTarget, targetRefusal } from './check-target.ts';
import { addReviewedEvents, addWithdrawnEvents } from './review-events.ts';
import type { ReviewRequest, ReviewResult } from './review.ts';

const MAX_REASON_LENGTH = 500;

/**
 * Withdraws a public record in one transaction with audit trail and events. Its next revision has the newest data and the
 * status REJECTED; an edit that awaits review is rejected. `reason` is public, 1 to 500 characters. Throws RECORD_NOT_FOUND,
 * CONFLICT for a record that is not public, and PRECONDITION_FAILED for a changed record. Throws FORBIDDEN for a USER, and
 * for the reviewer's own record unless the reviewer is an ADMIN.
 */
export async function withdrawRecord(
  database: Kysely<Tables>,
  target: ReviewTarget,
  reason: string,
  request: ReviewRequest,
): Promise<{ record: ReviewResult; withdrawn: Withdrawn }> {
  requireRole(request, 'MODERATOR');
  if (reason.length < 1 || reason.length > MAX_REASON_LENGTH) {
    throw new ServiceError('INVALID_PARAMETER', `\`reason\` must have 1 to ${MAX_REASON_LENGTH} characters.`);
  }
  return database.transaction().execute(async (transaction) => {
    const state = await lockTarget(transaction, target, request);
    const { id, revision, publishedRevision } = state;
    if (publishedRevision === null) {
      throw new ServiceError('CONFLICT', `Record ${id} is not public; only a public record can be withdrawn.`);
    }
    const status = statusAfter(state, 'withdraw');
    const next = revision + 1;
    const at = new Date();
    await repeatRevisions(transaction, [{ recordId: id, from: revision, next }], status);
    const withdrawal = { record_id: id, revision: next, published_revision: publishedRevision, at, reason };
    await storeWithdrawals(transaction, [withdrawal]);
    const rejectsEdit = state.status === 'PENDING' || state.status === 'NEEDS_UPDATE';
    await addEntries(transaction, request, [
      ...(rejectsEdit ? [{ id, revision, action: 'reject' as const, reason }] : []),
      { id, revision: next, action: 'withdraw', reason },
    ]);
    await addWithdrawnEvents(transaction, [withdrawal]);
    await notifyOwner(transaction, { ...state, revision: next }, ReviewChange.REVIEW_CHANGE_WITHDRAWN, reason);
    return { record: { recordId: id, status, revision: next }, withdrawn: { at: at.toISOString(), reason } };
  });
}

/**
 * Returns the last published data of a withdrawn record to the review queue, as its next revision. Throws CONFLICT if the
 * record is not withdrawn or its owner has updated it since. Otherwise, throws the errors of withdrawRecord.
 */
export async function restoreRecord(
  database: Kysely<Tables>,
  target: ReviewTarget,
  request: ReviewRequest,
): Promise<ReviewResult> {
  requireRole(request, 'MODERATOR');
  return database.transaction().execute(async (transaction) => {
    const state = await lockTarget(transaction, target, request);
    const { id, revision, publishedRevision } = state;
    const withdrawal = publishedRevision === null ? await findWithdrawal(transaction, id) : undefined;
    if (!withdrawal) {
      throw new ServiceError('CONFLICT', `Record ${id} is not withdrawn; only a withdrawn record can be restored.`);
    }
    const status = statusAfter(state, 'restore');
    // The new revision number keeps an approval of the withdrawn revision from applying.
    const next = revision + 1;
    await repeatRevisions(transaction, [{ recordId: id, from: withdrawal.publishedRevision, next }], status);
    await addEntries(transaction, request, [{ id, revision: next, action: 'restore', reason: null }]);
    await notifyOwner(transaction, { ...state, revision: next }, ReviewChange.REVIEW_CHANGE_RESTORED);
    return { recordId: id, status, revision: next };
  });
}

/**
 * Returns a rejected record to the review queue unchanged. Throws CONFLICT for a record that is not rejected, was
 * withdrawn, or was erased. Otherwise, throws the errors of withdrawRecord.
 */
export async function reopenRecord(
  database: Kysely<Tables>,
  target: ReviewTarget,
  request: ReviewRequest,
): Promise<ReviewResult> {
  requireRole(request, 'MODERATOR');
  return database.transaction().execute(async (transaction) => {
    const state = await lockTarget(transaction, target, request);
    const { id, revision } = state;
    const status = statusAfter(state, 'reopen');
    if ((await findWithdrawal(transaction, id))?.revision === revision) {
      throw new ServiceError('CONFLICT', `Record ${id} was withdrawn, not rejected; restore it instead.`);
    }
    const { numUpdatedRows } = await transaction
      .updateTable('record')
      .set({ status, updated_at: sql`now()`, status_since: sql`now()` })
      .where('id', '=', id)
      .where('erased_at', 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n)
      throw new ServiceError('CONFLICT', `Record ${id} cannot be reopened, because its data was erased.`);
    await addEntries(transaction, request, [{ id, revision, action: 'reopen', reason: null }]);
    await notifyOwner(transaction, state, ReviewChange.REVIEW_CHANGE_REOPENED);
    return { recordId: id, status, revision };
  });
}

async function lockTarget(
  transaction: Transaction<Tables>,
  target: ReviewTarget,
  { caller }: ReviewRequest,
): Promise<RecordState> {
  const state = (await lockRecords(transaction, [target.recordId])).get(target.recordId);
  const refused = targetRefusal(target, state, caller);
  if (refused) throw new ServiceError(refused.code, refused.message);
  if (!state) throw new Error('a missing record was not refused');
  return state;
}

const DONE = {
  withdraw: 'withdrawn',
  restore: 'restored',
  reopen: 'reopened',
  undo: 'undone',
} as const satisfies Partial<Record<RecordEvent['kind'], string>>;

/** Returns the status of a record after an event. Throws CONFLICT if its status does not allow the event. */
export function statusAfter({ id, status }: RecordState, kind: keyof typeof DONE) {
  const next = nextStatus(status, { kind });
  if (next.kind === 'moved') return next.status;
  throw new ServiceError('CONFLICT', `Record ${id} is ${status}; only a REJECTED record can be ${DONE[kind]}.`);
}

async function addEntries(
  transaction: Transaction<Tables>,
  { caller, requestId }: ReviewRequest,
  entries: { id: number; revision: number; action: Tables['audit']['action']; reason: string | null }[],
): Promise<void> {
  await addAudit(
    transaction,
    entries.map(({ id, revision, action, reason }) => ({
      actor_account_id: caller.accountId,
      action,
      record_id: id,
      record_revision: revision,
      reason,
      request_id: requestId,
    })),
  );
}

async function notifyOwner(
  transaction: Transaction<Tables>,
  record: RecordState,
  change: ReviewChange,
  reason?: string,
): Promise<void> {
  await addReviewedEvents(transaction, [record], { approved: false, reason, reviewedAt: new Date(), change });
}
