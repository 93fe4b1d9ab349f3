import { recallFromOutbox } from '@esd/events/outbox';
import { ReviewChange } from '@esd/proto/esd/events/v1/record_reviewed';
import { requireRole } from '@esd/service/auth/require-caller';
import { ServiceError } from '@esd/service/errors';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { addAudit, lockRecords, type RecordState } from '../records/record.store.ts';
import { repeatRevisions, storeWithdrawals } from '../records/withdrawal.store.ts';
import type { Tables } from '../tables.ts';
import { addReviewedEvents, addWithdrawnEvents } from './review-events.ts';
import type { Reviewed, ReviewRequest } from './review.ts';
import { statusAfter } from './withdraw.ts';

const REASON = 'approved by mistake';
const CHUNK = 16;

type Decision = Selectable<Tables['decision']>;

/** Returns the identifiers of the releases that contain a record revision. */
export type FindReleases = (recordId: number, revision: number) => Promise<readonly string[]>;

/**
 * Returns the records of a bulk decision to the review queue, all or none, in one transaction with audit trail and events.
 * An approval whose events the relay has not published never becomes public; otherwise, the records are withdrawn. Throws
 * DECISION_NOT_FOUND unless the caller made the decision or is an ADMIN. Throws CONFLICT if it was undone, is too old, or
 * has records that changed or are in a release.
 */
export async function undoDecision(
  database: Kysely<Tables>,
  decisionId: number,
  findReleases: FindReleases,
  request: ReviewRequest,
): Promise<Reviewed> {
  const { accountId, role } = requireRole(request, 'MODERATOR');
  const decision = await database.selectFrom('decision').selectAll().where('id', '=', decisionId).executeTakeFirst();
  if (!decision || (decision.account_id !== accountId && role !== 'ADMIN')) {
    const message = `You have no bulk decision ${decisionId}. To change another decision, reopen or withdraw its record.`;
    throw new ServiceError('DECISION_NOT_FOUND', message);
  }
  const records = await entriesOf(database, decision)
    .select(['record_id as id', 'record_revision as revision'])
    .orderBy('record_id')
    .execute();
  for (let start = 0; decision.action === 'approve' && start < records.length; start += CHUNK) {
    const chunk = records.slice(start, start + CHUNK);
    const releases = new Set((await Promise.all(chunk.map(({ id, revision }) => findReleases(id, revision)))).flat());
    if (releases.size === 0) continue;
    const message = `Decision ${decisionId} is part of the release ${[...releases].join(', ')}; withdraw its records instead.`;
    throw new ServiceError('CONFLICT', message);
  }
  const recordIds = records.map(({ id }) => id);
  return database.transaction().execute((transaction) => undo(transaction, decision, recordIds, request));
}

function entriesOf(database: Kysely<Tables>, { id, action }: Decision) {
  return database.selectFrom('audit').where('audit.decision_id', '=', id).where('audit.action', '=', action);
}

async function undo(
  transaction: Transaction<Tables>,
  decision: Decision,
  recordIds: readonly number[],
  { caller, requestId }: ReviewRequest,
): Promise<Reviewed> {
  await markUndone(transaction, decision);
  const states = [...(await lockUnchanged(transaction, decision, recordIds)).values()];
  const isApproval = decision.action === 'approve';
  const isRecalled = isApproval && (await recallFromOutbox(transaction, decision.approved_event_ids));
  const isWithdrawn = isApproval && !isRecalled;
  const hasMail = decision.reviewed_event_ids.length > 0;
  const isMailed = hasMail && !(await recallFromOutbox(transaction, decision.reviewed_event_ids));
  if (isWithdrawn) await withdrawAndRestore(transaction, states);
  else await reopen(transaction, decision);
  const entry = { actor_account_id: caller.accountId, request_id: requestId, decision_id: decision.id };
  const reason = isApproval ? REASON : null;
  const acts = isWithdrawn ? (['withdraw', 'restore'] as const) : (['reopen'] as const);
  await addAudit(
    transaction,
    acts.flatMap((action, at) =>
      states.map(({ id, revision }) => ({
        ...entry,
        action,
        record_id: id,
        record_revision: isWithdrawn ? revision + at + 1 : revision,
        reason,
      })),
    ),
  );
  const reopened = states.map((state) => ({
    ...state,
    status: statusAfter(state, 'undo'),
    revision: isWithdrawn ? state.revision + 2 : state.revision,
  }));
  if (isMailed) {
    await addReviewedEvents(transaction, reopened, {
      approved: false,
      reason: isWithdrawn ? `${REASON}; awaits review again` : undefined,
      reviewedAt: new Date(),
      change: isWithdrawn ? ReviewChange.REVIEW_CHANGE_WITHDRAWN : ReviewChange.REVIEW_CHANGE_REOPENED,
    });
  }
  return { records: reopened.map(({ id, status, revision }) => ({ recordId: id, status, revision })) };
}

async function markUndone(transaction: Transaction<Tables>, { id, undo_until }: Decision): Promise<void> {
  const { numUpdatedRows } = await transaction
    .updateTable('decision')
    .set({ undone_at: sql`now()` })
    .where('id', '=', id)
    .where('undone_at', 'is', null)
    .where('undo_until', '>', sql<Date>`now()`)
    .executeTakeFirst();
  if (numUpdatedRows === 1n) return;
  const message = `Decision ${id} was undone already, or could be undone until ${undo_until.toISOString()} only.`;
  throw new ServiceError('CONFLICT', message);
}

/** Locks the records of a decision. Throws CONFLICT with an error for each record that changed since. */
async function lockUnchanged(
  transaction: Transaction<Tables>,
  decision: Decision,
  recordIds: readonly number[],
): Promise<Map<number, RecordState>> {
  const states = await lockRecords(transaction, recordIds);
  const rows = await entriesOf(transaction, decision)
    .innerJoin('record', 'record.id', 'audit.record_id')
    .select('record.id')
    .whereRef('record.revision', '=', 'audit.record_revision')
    // A later change of the status, even one to the same status, has another time.
    .whereRef('record.status_since', '=', 'audit.at')
    .where('record.erased_at', 'is', null)
    .execute();
  const unchanged = new Set(rows.map(({ id }) => id));
  const errors = recordIds
    .filter((id) => !unchanged.has(id))
    .map((recordId) => {
      const { status, revision } = states.get(recordId) ?? {};
      const message = `Record ${recordId} changed since the decision.`;
      const state = status === undefined || revision === undefined ? {} : { status, revision };
      return { path: 'id', code: 'CONFLICT', message, recordId, ...state };
    });
  if (errors.length === 0) return states;
  const message = `No record was reopened: ${errors.length} cannot be reopened; see \`errors\`.`;
  throw new ServiceError('CONFLICT', message, { details: { errors, errorCount: errors.length } });
}

/** Sets the state before the decision. */
async function reopen(transaction: Transaction<Tables>, { id, action }: Decision): Promise<void> {
  await transaction
    .updateTable('record')
    .from('audit')
    .set(({ ref }) => ({
      status: 'PENDING',
      published_revision: ref('audit.published_before'),
      updated_at: sql`now()`,
      status_since: sql`now()`,
    }))
    .whereRef('record.id', '=', 'audit.record_id')
    .where('audit.decision_id', '=', id)
    .where('audit.action', '=', action)
    .execute();
}

/** Withdraws public records and returns them to the review queue. */
async function withdrawAndRestore(transaction: Transaction<Tables>, states: readonly RecordState[]): Promise<void> {
  const at = new Date();
  const copies = (step: number) =>
    states.map(({ id, revision }) => ({ recordId: id, from: revision, next: revision + step }));
  const withdrawals = states.map(({ id, revision }) => ({
    record_id: id,
    revision: revision + 1,
    published_revision: revision,
    at,
    reason: REASON,
  }));
  await repeatRevisions(transaction, copies(1), 'REJECTED');
  await storeWithdrawals(transaction, withdrawals);
  await addWithdrawnEvents(transaction, withdrawals);
  // The new revision number keeps an approval of the withdrawn revision from applying.
  await repeatRevisions(transaction, copies(2), 'PENDING');
}
