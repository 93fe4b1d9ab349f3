import { RecordApproved } from '@esd/proto/esd/events/v1/record_approved';
import { addToOutbox } from '@esd/events/outbox';
import { SUBJECTS } from '@esd/events/stream';
import { publicRecordJson } from '@esd/record/public-record';
import { nextStatus, type RecordStatus } from '@esd/record/record-status';
import type { Caller } from '@esd/service/assertion';
import { type ErrorCode, ServiceError } from '@esd/service/errors';
import type { Kysely, Transaction } from 'kysely';
import { addAudit, findNewestData, lockRecords, markApproved, type RecordState } from '../record/record.store.ts';
import type { Tables } from '../tables.ts';

const MOST_AT_ONCE = 1_000;
// Records are up to 256 KB each; no more than these are in memory at once.
const CHUNK = 50;

export interface RecordToReview {
  recordId: number;
  /** The revision that was looked at; undefined: the newest. */
  revision: number | undefined;
}

export interface ReviewOffender {
  recordId: number;
  code: ErrorCode;
  message: string;
  /** What the record is now; undefined when there is none. */
  status: RecordStatus | undefined;
}

export type ReviewOutcome =
  | { kind: 'reviewed'; records: { recordId: number; status: RecordStatus; revision: number }[] }
  | { kind: 'conflict'; offenders: ReviewOffender[] };

/**
 * Approves records, all or none: status, audit trail and event are one transaction. Each record must be PENDING, at the
 * revision that was looked at, and not the reviewer's own unless the reviewer is ADMIN. Throws FORBIDDEN for a USER
 * and INVALID_PARAMETER for a list that is empty, too long or names a record twice.
 */
export async function approveRecords(
  database: Kysely<Tables>,
  records: readonly RecordToReview[],
  reviewer: Caller,
  requestId: string,
): Promise<ReviewOutcome> {
  if (reviewer.role === 'USER') throw new ServiceError('FORBIDDEN', 'Only a MODERATOR or an ADMIN reviews records.');
  const ids = records.map((record) => record.recordId);
  if (ids.length < 1 || ids.length > MOST_AT_ONCE || new Set(ids).size < ids.length) {
    throw new ServiceError(
      'INVALID_PARAMETER',
      `recordIds has ${ids.length} entries; 1 to ${MOST_AT_ONCE} different ones are right.`,
    );
  }
  return database.transaction().execute(async (transaction) => {
    const states = await lockRecords(transaction, ids);
    const offenders = records.flatMap((record) => offence(record, states.get(record.recordId), reviewer) ?? []);
    if (offenders.length > 0) return { kind: 'conflict', offenders };
    const approved = [...states.values()];
    await markApproved(transaction, ids, 'APPROVED');
    await addAudit(
      transaction,
      approved.map(({ id, revision }) => ({
        actor_account_id: reviewer.accountId,
        action: 'approve' as const,
        record_id: id,
        record_revision: revision,
        reason: null,
        request_id: requestId,
      })),
    );
    await announce(
      transaction,
      approved.map(({ id }) => id),
    );
    return {
      kind: 'reviewed',
      records: ids.flatMap((id) => {
        const state = states.get(id);
        return state ? [{ recordId: id, status: 'APPROVED' as const, revision: state.revision }] : [];
      }),
    };
  });
}

function offence(
  { recordId, revision }: RecordToReview,
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
  if (nextStatus(state.status, { kind: 'approve' }).kind === 'refused') {
    return offender('CONFLICT', `Record ${recordId} is ${state.status}; only a PENDING record can be approved.`);
  }
  return undefined;
}

async function announce(transaction: Transaction<Tables>, recordIds: readonly number[]): Promise<void> {
  const approvedAt = new Date();
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
