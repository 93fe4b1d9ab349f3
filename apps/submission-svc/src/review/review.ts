import { nextStatus, type RecordStatus } from '@esd/record/status/record-status';
import type { Caller } from '@esd/service/auth/caller-assertion';
import { requireRole } from '@esd/service/auth/require-caller';
import { ServiceError } from '@esd/service/errors';
import { type Kysely, sql, type Transaction } from 'kysely';
import { addAudit, lockPendingOf, lockRecords, markReviewed, type RecordState } from '../records/record.store.ts';
import type { Tables } from '../tables.ts';
import { type ReviewRefusal, type ReviewTarget, targetRefusal } from './check-target.ts';
import { addApprovedEvents, addReviewedEvents } from './review-events.ts';

const MAX_RECORDS = 1_000;
const MAX_REASON_LENGTH = 2_000;

export interface ReviewResult {
  recordId: number;
  status: RecordStatus;
  revision: number;
}

export interface ReviewRequest {
  caller: Caller;
  requestId: string;
}

/** The outcome of approvals or rejections. `decision` is set for a bulk decision, which can be undone. */
export interface Reviewed {
  records: ReviewResult[];
  decision?: { id: number; undoUntil: Date };
}

interface DecisionRequest extends ReviewRequest {
  /** Whether the decision can be undone. Its mails then wait, so that an undone decision sends none. */
  isBulk?: boolean;
}

const MAIL_DELAY_SECONDS = 60;

type Decision = { readonly kind: 'approve' } | { readonly kind: 'reject'; readonly reason: string };

/**
 * Approves records, all or none, in one transaction with audit trail and events. Each record must be PENDING, at the
 * revision or entity tag of its target if that names one, and not the reviewer's own unless the reviewer is an ADMIN.
 * Otherwise, a bulk decision throws CONFLICT with an error for each record that cannot be approved, and others throw that
 * error. Throws the errors of `requireRole`. Throws INVALID_PARAMETER for a list that is empty, too long, or repeats a
 * record.
 */
export function approveRecords(
  database: Kysely<Tables>,
  records: readonly ReviewTarget[],
  request: DecisionRequest,
): Promise<Reviewed> {
  return review(database, { kind: 'approve' }, records, request);
}

/** Rejects records under the rules of approveRecords. Published revisions remain public. */
export async function rejectRecords(
  database: Kysely<Tables>,
  records: readonly ReviewTarget[],
  reason: string,
  request: DecisionRequest,
): Promise<Reviewed> {
  requireRole(request, 'MODERATOR');
  checkReason(reason);
  return review(database, { kind: 'reject', reason }, records, request);
}

/** Rejects the first 1,000 PENDING records of an origin, by id. Throws RECORD_NOT_FOUND for an origin without any. */
export async function rejectOrigin(
  database: Kysely<Tables>,
  origin: string,
  reason: string,
  request: DecisionRequest,
): Promise<Reviewed> {
  requireRole(request, 'MODERATOR');
  checkReason(reason);
  return database.transaction().execute(async (transaction) => {
    const states = await lockPendingOf(transaction, origin, MAX_RECORDS);
    if (states.size === 0) {
      throw new ServiceError('RECORD_NOT_FOUND', `No record of the origin "${origin}" awaits review.`);
    }
    return decide(transaction, { kind: 'reject', reason }, [...states.values()], request);
  });
}

function checkReason(reason: string): void {
  if (reason.length >= 1 && reason.length <= MAX_REASON_LENGTH) return;
  throw new ServiceError('INVALID_PARAMETER', `\`reason\` must have 1 to ${MAX_REASON_LENGTH} characters.`);
}

async function review(
  database: Kysely<Tables>,
  decision: Decision,
  records: readonly ReviewTarget[],
  request: DecisionRequest,
): Promise<Reviewed> {
  requireRole(request, 'MODERATOR');
  const ids = records.map((record) => record.recordId);
  if (ids.length < 1 || ids.length > MAX_RECORDS || new Set(ids).size < ids.length) {
    throw new ServiceError(
      'INVALID_PARAMETER',
      `\`recordIds\` must have 1 to ${MAX_RECORDS} different entries, got ${ids.length}.`,
    );
  }
  return database.transaction().execute(async (transaction) => {
    const states = await lockRecords(transaction, ids);
    const errors = records.flatMap((record, index) => {
      const state = states.get(record.recordId);
      const reason = conflictOf(decision, record, state, request.caller);
      if (!reason) return [];
      const item = { path: `recordIds[${index}]`, ...reason, recordId: record.recordId };
      return [state ? { ...item, status: state.status, revision: state.revision } : item];
    });
    const [first] = errors;
    if (first && !request.isBulk) throw new ServiceError(first.code, first.message);
    if (first) {
      const done = DONE[decision.kind];
      const message = `No record was ${done}: ${errors.length} of ${ids.length} cannot be ${done}; see \`errors\`.`;
      throw new ServiceError('CONFLICT', message, { details: { errors, errorCount: errors.length } });
    }
    const reviewed = ids.flatMap((id) => states.get(id) ?? []);
    return decide(transaction, decision, reviewed, request);
  });
}

const DONE = { approve: 'approved', reject: 'rejected' } as const;

async function decide(
  transaction: Transaction<Tables>,
  decision: Decision,
  records: readonly RecordState[],
  { caller, requestId, isBulk = false }: DecisionRequest,
): Promise<Reviewed> {
  const ids = records.map(({ id }) => id);
  const reason = decision.kind === 'reject' ? decision.reason : undefined;
  const reviewedAt = new Date();
  const approved = decision.kind === 'approve';
  const status = approved ? 'APPROVED' : 'REJECTED';
  await markReviewed(transaction, ids, status);
  const ascending = ids.toSorted((one, other) => one - other);
  const approved_event_ids = approved ? await addApprovedEvents(transaction, ascending, reviewedAt) : [];
  const change = { approved, reason, reviewedAt };
  const reviewed_event_ids = await addReviewedEvents(transaction, records, change, isBulk ? MAIL_DELAY_SECONDS : 0);
  const events = { approved_event_ids, reviewed_event_ids };
  const bulk = isBulk
    ? await transaction
        .insertInto('decision')
        .values({
          account_id: caller.accountId,
          action: decision.kind,
          reason: reason ?? null,
          undo_until: sql`now() + interval '24 hours'`,
          ...events,
        })
        .returning(['id', 'undo_until as undoUntil'])
        .executeTakeFirstOrThrow()
    : undefined;
  await addAudit(
    transaction,
    records.map(({ id, revision, publishedRevision }) => ({
      actor_account_id: caller.accountId,
      action: decision.kind,
      record_id: id,
      record_revision: revision,
      reason: reason ?? null,
      request_id: requestId,
      decision_id: bulk?.id ?? null,
      published_before: publishedRevision,
    })),
  );
  const results = records.map(({ id, revision }) => ({ recordId: id, status, revision }) as const);
  return { records: results, ...(bulk ? { decision: bulk } : {}) };
}

function conflictOf(
  { kind }: Decision,
  target: ReviewTarget,
  state: RecordState | undefined,
  reviewer: Caller,
): ReviewRefusal | undefined {
  const refused = targetRefusal(target, state, reviewer);
  if (refused || !state) return refused;
  if (nextStatus(state.status, { kind }).kind === 'refused') {
    const message = `Record ${target.recordId} is ${state.status}; only a PENDING record can be ${DONE[kind]}.`;
    return { code: 'CONFLICT', message };
  }
  return undefined;
}
