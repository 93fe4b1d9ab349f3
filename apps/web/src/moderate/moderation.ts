import { signal } from '@preact/signals';
import { call } from '../client/call.ts';
import type { Staff } from '../staff/service.ts';
import { listsRecords, queueQuery, type QueueView, searchOf, viewOf } from './address.ts';
import { decisions } from './decisions.ts';
import { openRecord } from './open-record.ts';
import { openSubmission } from './open-submission.ts';
import { LOADED_AT_ONCE, reviewQueue } from './queue.ts';
import type { Status, TableRow } from './shapes.ts';

export type Moderation = ReturnType<typeof moderation>;

interface Desk extends Pick<Staff, 'request'> {
  /** Loads the script that shows the data of a record. Throws RequestError. */
  readonly loadDetails: () => Promise<void>;
}

/** Creates the state of the page. The view is in the URL; the lists, the table, and the open record follow it. */
export function moderation({ request, loadDetails }: Desk) {
  const view = signal<QueueView>(viewOf(location.search));
  const optionsFor = (skip: number, stop: AbortSignal) => ({
    query: queueQuery(view.value, skip, LOADED_AT_ONCE),
    signal: stop,
  });
  const records = reviewQueue(
    (skip, stop) => call(request, 'get', '/moderation/queue', optionsFor(skip, stop)),
    ({ recordId }) => recordId,
  );
  const submissions = reviewQueue(
    (skip, stop) => call(request, 'get', '/moderation/submissions', optionsFor(skip, stop)),
    ({ submissionId }) => submissionId,
  );
  const record = openRecord(request, view, loadDetails);
  const submission = openSubmission(request, view);
  /** The current entry of the list while nothing is open. */
  const cursor = signal<number | undefined>(undefined);

  /** Whether the view has changed since the page was loaded. The focus then follows it. */
  let hasMoved = false;

  /** Changes the view, and adds it to the browser history or replaces the current entry. */
  function go(change: Partial<QueueView>, how: 'push' | 'replace' = 'push'): void {
    const before = view.value;
    hasMoved = true;
    view.value = { ...before, ...change };
    const address = location.pathname + searchOf(view.value);
    if (how === 'push') history.pushState(null, '', address);
    else history.replaceState(null, '', address);
    arrive(before);
  }

  /** Follows the URL after the browser went back or forward. */
  function restoreFromUrl(): void {
    const before = view.value;
    hasMoved = true;
    view.value = viewOf(location.search);
    arrive(before);
  }

  function arrive(before: QueueView): void {
    const { recordId, submissionId } = view.value;
    const listOf = (queueView: QueueView): string =>
      searchOf({ ...queueView, recordId: undefined, submissionId: undefined });
    if (listOf(view.value) !== listOf(before) && !view.value.isMine) void list();
    if (recordId === undefined && submissionId === undefined) {
      // An id of the other list is another entry.
      cursor.value = listsRecords(before) === listsRecords(view.value) ? currentOf(before) : undefined;
    }
    if (submissionId !== before.submissionId) void openTable();
    if (recordId !== before.recordId) void record.open();
  }

  const list = (): Promise<void> => (listsRecords(view.value) ? records.list() : submissions.list());
  const currentOf = (queueView: QueueView): number | undefined =>
    listsRecords(queueView) ? queueView.recordId : queueView.submissionId;

  /** Loads the table. A submission with one record opens as that record. */
  async function openTable(): Promise<void> {
    await submission.open();
    const { submissionId, recordId } = view.value;
    const { table } = submission;
    const [only, ...others] = table.value?.rows ?? [];
    if (!only || others.length > 0 || table.value?.submissionId !== submissionId || recordId !== undefined) return;
    go({ recordId: only.recordId }, 'replace');
  }

  /** Moves to the next or the previous row of the table, record, or entry of the list. */
  function step(by: 1 | -1): void {
    const { recordId, submissionId } = view.value;
    if (recordId !== undefined) {
      const next = submissionId === undefined ? records.entryAt(recordId, by) : submission.rowAt(recordId, by);
      if (next) go({ recordId: next.recordId }, 'replace');
      else if (submission.table.value?.rows.length === 1) stepSubmission(by);
    } else if (submissionId !== undefined) {
      const next = submission.rowAt(submission.current.value, by);
      if (next) submission.current.value = next.recordId;
    } else if (listsRecords(view.value)) {
      cursor.value = records.entryAt(cursor.value, by)?.recordId ?? cursor.value;
    } else {
      cursor.value = submissions.entryAt(cursor.value, by)?.submissionId ?? cursor.value;
    }
  }

  function stepSubmission(by: 1 | -1): void {
    const next = submissions.entryAt(view.value.submissionId, by);
    if (next) go({ submissionId: next.submissionId, recordId: undefined }, 'replace');
  }

  /** Opens the current row of the table, or the current entry of the list. */
  function enter(how: 'push' | 'replace' = 'push'): void {
    const { recordId, submissionId } = view.value;
    if (recordId !== undefined) return;
    const id = submissionId === undefined ? cursor.value : submission.current.value;
    if (id === undefined) return;
    go(submissionId !== undefined || listsRecords(view.value) ? { recordId: id } : { submissionId: id }, how);
  }

  /** Opens the first entry of the list without moving the focus. */
  function openFirst(): void {
    step(1);
    enter('replace');
    hasMoved = false;
  }

  /** Leads from a record to its table, and from there to the list. */
  function back(): void {
    const { recordId } = view.value;
    const isInTable = (submission.table.value?.rows.length ?? 0) > 1;
    if (recordId !== undefined && isInTable) {
      submission.current.value = recordId;
      go({ recordId: undefined });
    } else {
      go({ recordId: undefined, submissionId: undefined });
    }
  }

  /** Removes decided records from the lists, and opens what follows. */
  function leave(recordIds: ReadonlySet<number>, status: Status): void {
    const { recordId, submissionId } = view.value;
    const nextRecord = recordId === undefined ? undefined : records.entryAfter(recordId, recordIds);
    records.remove(recordIds);
    submission.setStatus(recordIds, status);
    if (submissionId !== undefined) {
      leaveRows(submissionId, recordId, recordIds);
    } else if (recordId !== undefined && recordIds.has(recordId)) {
      go({ recordId: nextRecord?.recordId }, 'replace');
    }
    const { queue, list: listAgain } = listsRecords(view.value) ? records : submissions;
    // A record that its own URL opened belongs to a submission whose entry only the service can update.
    const isOutdated = submissionId === undefined && !listsRecords(view.value);
    if (isOutdated || (queue.value.entries.length === 0 && queue.value.total > 0)) void listAgain();
  }

  function reload(): void {
    if (!view.value.isMine) void list();
    void openTable();
    void open();
  }

  /** Opens the next undecided record of a submission, its table, or the next submission if every record is decided. */
  function leaveRows(submissionId: number, recordId: number | undefined, decided: ReadonlySet<number>): void {
    const rows = submission.table.value?.rows ?? [];
    const left = rows.filter(({ status }) => status === view.value.status);
    if (left.length > 0) {
      const { queue } = submissions;
      const counted = { records: countByStatus(rows) };
      const entries = queue.value.entries.map((entry) =>
        entry.submissionId === submissionId ? { ...entry, ...counted } : entry,
      );
      queue.value = { ...queue.value, entries };
      void submission.open();
      if (recordId === undefined || !decided.has(recordId)) return;
      go({ recordId: (left.find((row) => row.recordId > recordId) ?? left[0])?.recordId }, 'replace');
      return;
    }
    const gone = new Set([submissionId]);
    const next = submissions.entryAfter(submissionId, gone);
    submissions.remove(gone);
    go({ submissionId: next?.submissionId, recordId: undefined }, 'replace');
  }

  const { shown, failure, open } = record;
  return {
    view,
    records,
    submissions,
    submission,
    cursor,
    list,
    shown,
    failure,
    open,
    openTable,
    go,
    restoreFromUrl,
    step,
    enter,
    openFirst,
    hasMoved: () => hasMoved,
    back,
    ...decisions({ request, record, submission, leave, reload }),
  };
}

function countByStatus(rows: readonly TableRow[]): Record<Status, number> {
  const counts = { PENDING: 0, APPROVED: 0, REJECTED: 0, NEEDS_UPDATE: 0 };
  for (const { status } of rows) counts[status] += 1;
  return counts;
}
