import { nextStatus, type RecordStatus } from '@esd/record/record-status';
import type { Caller } from '@esd/service/assertion';
import { type ErrorCode, ServiceError } from '@esd/service/errors';
import type { Kysely, Transaction } from 'kysely';
import { recordTag } from '../record/entity-tag.ts';
import {
  addAudit,
  lockPendingOf,
  lockRecords,
  markApproved,
  markRejected,
  type RecordState,
} from '../record/record.store.ts';
import type { Tables } from '../tables.ts';
import { announceApproved, announceReviewed } from './announce.ts';
import { requireReviewer } from './require-reviewer.ts';

const MOST_AT_ONCE = 1_000;
const LONGEST_REASON = 2_000;

export interface RecordToReview {
  recordId: number;
  /** The revision that was looked at; undefined: the newest. */
  revision: number | undefined;
  /** The record must have one of these entity tags; none: whatever it is. */
  entityTags?: readonly string[];
}

export interface ReviewOffender {
  recordId: number;
  code: ErrorCode;
  message: string;
  /** What the record is now; undefined when there is none. */
  status: RecordStatus | undefined;
}

export interface ReviewedRecord {
  recordId: number;
  status: RecordStatus;
  revision: number;
}

export type ReviewOutcome =
  { kind: 'reviewed'; records: ReviewedRecord[] } | { kind: 'conflict'; offenders: ReviewOffender[] };

type Decision = { readonly kind: 'approve' } | { readonly kind: 'reject'; readonly reason: string };

/**
 * Approves records, all or none: status, audit trail and events are one transaction. Each record must be PENDING, as it
 * was when it was looked at, and not the reviewer's own unless the reviewer is ADMIN. Throws FORBIDDEN for a USER
 * and INVALID_PARAMETER for a list that is empty, too long or names a record twice.
 */
export function approveRecords(
  database: Kysely<Tables>,
  records: readonly RecordToReview[],
  reviewer: Caller,
  requestId: string,
): Promise<ReviewOutcome> {
  return review(database, { kind: 'approve' }, records, reviewer, requestId);
}

/**
 * Declines records for one reason of 1 to 2,000 characters, under the rules of approveRecords. What is public of them
 * stays so.
 */
export async function rejectRecords(
  database: Kysely<Tables>,
  records: readonly RecordToReview[],
  reason: string,
  reviewer: Caller,
  requestId: string,
): Promise<ReviewOutcome> {
  checkReason(reason);
  return review(database, { kind: 'reject', reason }, records, reviewer, requestId);
}

/**
 * Declines the records that came from an origin without an account and await review, the first 1,000 by id, under the
 * rules of rejectRecords. Throws RECORD_NOT_FOUND where there is none.
 */
export async function rejectOrigin(
  database: Kysely<Tables>,
  origin: string,
  reason: string,
  reviewer: Caller,
  requestId: string,
): Promise<Extract<ReviewOutcome, { kind: 'reviewed' }>> {
  requireReviewer({ caller: reviewer });
  checkReason(reason);
  return database.transaction().execute(async (transaction) => {
    const states = await lockPendingOf(transaction, origin, MOST_AT_ONCE);
    if (states.size === 0) {
      throw new ServiceError('RECORD_NOT_FOUND', `No record that came from the origin "${origin}" awaits review.`);
    }
    return decide(transaction, { kind: 'reject', reason }, [...states.values()], reviewer, requestId);
  });
}

function checkReason(reason: string): void {
  if (reason.length >= 1 && reason.length <= LONGEST_REASON) return;
  throw new ServiceError(
    'INVALID_PARAMETER',
    `reason has ${reason.length} characters; 1 to ${LONGEST_REASON} are right.`,
  );
}

async function review(
  database: Kysely<Tables>,
  decision: Decision,
  records: readonly RecordToReview[],
  reviewer: Caller,
  requestId: string,
): Promise<ReviewOutcome> {
  requireReviewer({ caller: reviewer });
  const ids = records.map((record) => record.recordId);
  if (ids.length < 1 || ids.length > MOST_AT_ONCE || new Set(ids).size < ids.length) {
    throw new ServiceError(
      'INVALID_PARAMETER',
      `recordIds has ${ids.length} entries; 1 to ${MOST_AT_ONCE} different ones are right.`,
    );
  }
  return database.transaction().execute(async (transaction) => {
    const states = await lockRecords(transaction, ids);
    const offenders = records.flatMap(
      (record) => offence(decision, record, states.get(record.recordId), reviewer) ?? [],
    );
    if (offenders.length > 0) return { kind: 'conflict', offenders };
    const reviewed = ids.flatMap((id) => states.get(id) ?? []);
    return decide(transaction, decision, reviewed, reviewer, requestId);
  });
}

/** Decides on records that are under lock: their status, audit trail and events. */
async function decide(
  transaction: Transaction<Tables>,
  decision: Decision,
  records: readonly RecordState[],
  reviewer: Caller,
  requestId: string,
): Promise<Extract<ReviewOutcome, { kind: 'reviewed' }>> {
  const ids = records.map(({ id }) => id);
  const reason = decision.kind === 'reject' ? decision.reason : undefined;
  const reviewedAt = new Date();
  if (decision.kind === 'approve') {
    await markApproved(transaction, ids);
    await announceApproved(
      transaction,
      ids.toSorted((one, other) => one - other),
      reviewedAt,
    );
  } else {
    await markRejected(transaction, ids);
  }
  await addAudit(
    transaction,
    records.map(({ id, revision }) => ({
      actor_account_id: reviewer.accountId,
      action: decision.kind,
      record_id: id,
      record_revision: revision,
      reason: reason ?? null,
      request_id: requestId,
    })),
  );
  await announceReviewed(transaction, records, { approved: decision.kind === 'approve', reason, reviewedAt });
  const status = decision.kind === 'approve' ? 'APPROVED' : 'REJECTED';
  return {
    kind: 'reviewed',
    records: records.map(({ id, revision }) => ({ recordId: id, status, revision })),
  };
}

function offence(
  decision: Decision,
  { recordId, revision, entityTags = [] }: RecordToReview,
  state: RecordState | undefined,
  reviewer: Caller,
): ReviewOffender | undefined {
  const offender = (code: ErrorCode, message: string) => ({ recordId, code, message, status: state?.status });
  if (!state) return offender('RECORD_NOT_FOUND', `There is no record ${recordId}.`);
  if (state.ownerAccountId === reviewer.accountId && reviewer.role !== 'ADMIN') {
    return offender('FORBIDDEN', `Record ${recordId} is your own; somebody else has to review it.`);
  }
  if (revision !== undefined && revision !== state.revision) {
    return offender(
      'PRECONDITION_FAILED',
      `Record ${recordId} is at revision ${state.revision}, not ${revision}: look at it again.`,
    );
  }
  if (entityTags.length > 0 && !entityTags.includes(recordTag(recordId, state.revision))) {
    return offender(
      'PRECONDITION_FAILED',
      `Record ${recordId} has the entity tag "${recordTag(recordId, state.revision)}" now: look at it again.`,
    );
  }
  if (nextStatus(state.status, { kind: decision.kind }).kind === 'refused') {
    const done = decision.kind === 'approve' ? 'approved' : 'declined';
    return offender('CONFLICT', `Record ${recordId} is ${state.status}; only a PENDING record can be ${done}.`);
  }
  return undefined;
}
