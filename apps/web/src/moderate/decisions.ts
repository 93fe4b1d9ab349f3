import { computed, signal } from '@preact/signals';
import { problemText } from '../client/form.ts';
import { RequestError } from '../client/request.ts';
import { call, problemsOf } from '../client/call.ts';
import { countText, timeText } from '../format.ts';
import type { StaffRequest } from '../staff/service.ts';
import type { ToastMessage } from '../staff/toast.tsx';
import { type Approval, approvalToConfirm, type Candidate } from './approval.ts';
import type { OpenRecord, ShownRecord } from './open-record.ts';
import type { OpenSubmission } from './open-submission.ts';
import { MAX_AT_ONCE } from './queue.ts';
import type { Status, TableRow } from './shapes.ts';

export type Act = 'approve' | 'reject' | 'withdraw' | 'restore' | 'reopen';

export const DONE: Readonly<Record<string, string>> = {
  approve: 'approved',
  reject: 'rejected',
  withdraw: 'withdrawn',
  restore: 'returned to the review queue',
  reopen: 'returned to the review queue',
};

const STATUS_AFTER = {
  approve: 'APPROVED',
  reject: 'REJECTED',
  withdraw: 'REJECTED',
  restore: 'PENDING',
  reopen: 'PENDING',
} as const satisfies Record<Act, Status>;

/** A message about records that changed while the moderator read them. */
interface Note {
  readonly title: string;
  readonly text: string;
  readonly recordId?: number;
}

interface Desk {
  request: StaffRequest;
  record: Pick<OpenRecord, 'shown' | 'failure' | 'isCurrent' | 'readReview'>;
  submission: Pick<OpenSubmission, 'table' | 'marks' | 'open'>;
  /** Removes decided records from the lists; they now have this status. */
  leave: (recordIds: ReadonlySet<number>, status: Status) => void;
  /** Loads the lists and what is open again. */
  reload: () => void;
}

/** After this time, the page reads the outcome of a decision instead of waiting for its response. */
const DEADLINE_MS = 10_000;

type Problem = ReturnType<typeof problemsOf>[number];

/** Sends the decisions of a moderator one at a time, and reports decisions that other moderators made first. */
export function decisions({ request, record, submission, leave, reload }: Desk) {
  const { shown, failure } = record;
  const note = signal<Note | undefined>(undefined);
  const done = signal<ToastMessage | undefined>(undefined);
  const isBusy = signal(false);
  /** The typed reasons by record; 0 for a decision on many records. */
  const reasons = signal<ReadonlyMap<number, string>>(new Map());
  /** The approval that waits for its confirmation. */
  const approval = signal<Approval | undefined>(undefined);
  const canDecide = computed(() => !isBusy.value && record.isCurrent.value);

  /** Sends a decision. An approval that requires a confirmation waits for it. */
  async function confirmed(act: Act, records: readonly Candidate[], send: () => Promise<void>): Promise<void> {
    approval.value = act === 'approve' ? approvalToConfirm(records, send) : undefined;
    if (approval.value === undefined) await send();
  }

  async function decide(act: Act, reason?: string): Promise<void> {
    const current = shown.value;
    if (!current || !canDecide.value) return;
    await confirmed(act, [current.review], () => decideRecord(act, current, reason));
  }

  async function decideRecord(act: Act, current: ShownRecord, reason: string | undefined): Promise<void> {
    const { recordId } = current.review;
    const text = `Record ${recordId} was ${DONE[act] ?? 'changed'}.`;
    await runExclusive(async () => {
      try {
        await request(`/moderation/records/${recordId}/${act}`, {
          method: 'POST',
          json: reason === undefined ? {} : { reason },
          headers: { 'If-Match': current.tag },
          deadlineMs: DEADLINE_MS,
        });
        finish(text, recordId, new Set([recordId]), act);
      } catch (error) {
        const status = error instanceof RequestError ? error.status : undefined;
        if (status === 412) shown.value = { ...current, isOld: true };
        else if (status === 409) await reportEarlierDecision(recordId);
        else if (status !== 0) throw error;
        else if ((await record.readReview(recordId)).review.status === STATUS_AFTER[act]) {
          finish(text, recordId, new Set([recordId]), act);
        } else {
          note.value = notDecided(`record ${recordId} has not changed.`);
        }
      }
    });
  }

  /** Reports an earlier decision on a record, and removes the record from the queue. */
  async function reportEarlierDecision(recordId: number): Promise<void> {
    const { review } = await record.readReview(recordId);
    const last = review.history.at(-1);
    note.value = {
      title: `Record ${recordId} was ${DONE[last?.action ?? ''] ?? 'changed'} by someone else at ${last ? timeText(new Date(last.at)) : 'the same time'}.`,
      text: 'It was removed from your queue. Your draft reason is saved.',
      recordId,
    };
    leave(new Set([recordId]), review.status);
  }

  /** Decides on rows of the table, all or none, with the revisions that the table shows. */
  async function decideRows(act: 'approve' | 'reject', rows: readonly TableRow[], reason?: string): Promise<void> {
    if (rows.length > 0) await confirmed(act, rows, () => sendRows(act, rows, reason));
  }

  async function sendRows(
    act: 'approve' | 'reject',
    rows: readonly TableRow[],
    reason: string | undefined,
  ): Promise<void> {
    const recordIds = rows.map(({ recordId }) => recordId);
    const revisions = rows.map(({ revision }) => revision);
    const text = `${countText(rows.length, 'record was', 'records were')} ${DONE[act] ?? ''}.`;
    await runExclusive(async () => {
      try {
        const json = { recordIds, revisions, ...(reason === undefined ? {} : { reason }) };
        const { body } = await call(request, 'post', `/moderation/${act}`, { json, deadlineMs: DEADLINE_MS });
        finish(text, 0, new Set(recordIds), act, body.decision.id);
      } catch (error) {
        const status = error instanceof RequestError ? error.status : undefined;
        if (status === 409) await markRefused(act, problemsOf(error), rows.length);
        else if (status !== 0) throw error;
        else if (await areDecided(recordIds, act)) finish(text, 0, new Set(recordIds), act);
        else note.value = notDecided('the table shows their current states.');
      }
    });
  }

  /** Marks the rows that prevented a decision, each with what happened to its record. The selection stays. */
  async function markRefused(act: 'approve' | 'reject', refused: readonly Problem[], count: number): Promise<void> {
    const times = new Map<number, string>();
    const statuses = new Set(refused.flatMap(({ code, status }) => (code === 'CONFLICT' && status ? [status] : [])));
    const submissionId = submission.table.value?.submissionId ?? 0;
    for (const status of statuses) {
      const query = `submissionId=${submissionId}&status=${status}&limit=${MAX_AT_ONCE}`;
      // The marks matter more than their times.
      const page = await call(request, 'get', '/moderation/queue', { query, deadlineMs: DEADLINE_MS }).catch(
        () => undefined,
      );
      for (const { recordId, waitingSince } of page?.body.data ?? [])
        times.set(recordId, timeText(new Date(waitingSince)));
    }
    submission.marks.value = new Map([
      ...submission.marks.value,
      ...refused.map(({ recordId = 0, ...problem }) => [recordId, markOf(problem, times.get(recordId))] as const),
    ]);
    note.value = {
      title: `No record was ${DONE[act] ?? ''}: ${refused.length} of ${count} changed while you were reading.`,
      text: 'The table marks them. Your selection is unchanged.',
    };
  }

  /** Reads the states of records after a decision without a response. Returns whether all of them have its status. */
  async function areDecided(recordIds: readonly number[], act: Act): Promise<boolean> {
    await submission.open();
    const byId = new Map(submission.table.value?.rows.map((row) => [row.recordId, row.status]));
    return recordIds.every((id) => byId.get(id) === STATUS_AFTER[act]);
  }

  /** Rejects all anonymous records from one network. */
  async function rejectOrigin(origin: string, reason: string): Promise<void> {
    await runExclusive(async () => {
      const { body } = await call(request, 'post', '/moderation/reject', { json: { origin, reason } });
      const { records, decision } = body;
      const ids = new Set(records.map(({ recordId }) => recordId));
      finish(`${countText(ids.size, 'record was', 'records were')} rejected.`, 0, ids, 'reject', decision.id);
    });
  }

  /** Returns the records of a bulk decision to the review queue. */
  async function undo(decisionId: number): Promise<void> {
    await runExclusive(async () => {
      note.value = undefined;
      try {
        const options = { parameters: { id: decisionId }, json: {} };
        const { body } = await call(request, 'post', '/moderation/decisions/{id}/undo', options);
        done.value = { text: body.message };
        reload();
      } catch (error) {
        // The records may not be open, so no pane can show the error.
        done.value = { text: problemText(error) };
      }
    });
  }

  /** Confirms a decision and clears its reason. A bulk decision has an id. */
  function finish(text: string, reasonOf: number, decided: ReadonlySet<number>, act: Act, decisionId?: number): void {
    note.value = undefined;
    done.value = { text, undo: decisionId === undefined ? undefined : () => void undo(decisionId) };
    setReason(reasonOf, '');
    leave(decided, STATUS_AFTER[act]);
  }

  async function runExclusive(act: () => Promise<void>): Promise<void> {
    if (isBusy.value) return;
    isBusy.value = true;
    failure.value = undefined;
    done.value = undefined;
    try {
      await act();
    } catch (error) {
      failure.value = error;
    } finally {
      isBusy.value = false;
    }
  }

  function setReason(recordId: number, text: string): void {
    reasons.value = new Map(reasons.value).set(recordId, text);
  }

  function dismiss(): void {
    note.value = undefined;
  }

  return {
    note,
    done,
    isBusy,
    canDecide,
    approval,
    reasons,
    decide,
    decideRows,
    rejectOrigin,
    undo,
    setReason,
    dismiss,
  };
}

function notDecided(text: string): Note {
  return { title: 'The service did not respond in 10 seconds.', text: `The decision was not sent again; ${text}` };
}

function markOf({ code, status, message }: Omit<Problem, 'recordId'>, time: string | undefined): string {
  if (code === 'PRECONDITION_FAILED') return 'changed while you were reading';
  if (code !== 'CONFLICT' || (status !== 'APPROVED' && status !== 'REJECTED')) return message;
  const act = status === 'APPROVED' ? 'approved' : 'rejected';
  return `${act} by another moderator${time === undefined ? '' : ` at ${time}`}`;
}
