import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { call } from '../client/call.ts';
import type { StaffRequest } from '../staff/service.ts';
import type { QueueView } from './address.ts';
import type { Status, SubmissionTable, TableRow } from './shapes.ts';

export type OpenSubmission = ReturnType<typeof openSubmission>;

/** Loads the table of the submission in the view. */
export function openSubmission(request: StaffRequest, view: ReadonlySignal<QueueView>) {
  const table = signal<SubmissionTable | undefined>(undefined);
  const failure = signal<unknown>(undefined);
  /** The record of the current row. */
  const current = signal<number | undefined>(undefined);
  const selected = signal<ReadonlySet<number>>(new Set());
  /** The records that could not be decided, each with the reason. */
  const marks = signal<ReadonlyMap<number, string>>(new Map());
  const pending = computed(() => (table.value?.rows ?? []).filter(({ status }) => status === 'PENDING'));
  /** The rows that every decision applies to: the selected ones, or all if none is selected. Marked rows are left out. */
  const targets = computed(() =>
    pending.value.filter(
      ({ recordId }) => !marks.value.has(recordId) && (selected.value.size === 0 || selected.value.has(recordId)),
    ),
  );
  let opening = new AbortController();

  /** Loads the table of the view. The selection and the current row of the same submission stay. */
  async function open(): Promise<void> {
    opening.abort();
    opening = new AbortController();
    const { signal: stop } = opening;
    const { submissionId } = view.value;
    failure.value = undefined;
    if (submissionId !== table.value?.submissionId) show(undefined);
    if (submissionId === undefined) return;
    try {
      const options = { parameters: { submissionId }, signal: stop };
      const { body } = await call(request, 'get', '/moderation/submissions/{submissionId}', options);
      if (!stop.aborted) show(body);
    } catch (error) {
      if (!stop.aborted) failure.value = error;
    }
  }

  function show(next: SubmissionTable | undefined): void {
    const rows = next?.rows ?? [];
    const isPending = (id: number): boolean => rows.some((row) => row.recordId === id && row.status === 'PENDING');
    table.value = next;
    selected.value = new Set([...selected.value].filter(isPending));
    marks.value = new Map();
    if (!rows.some(({ recordId }) => recordId === current.value)) {
      current.value = (rows.find(({ status }) => status === view.value.status) ?? rows[0])?.recordId;
    }
  }

  function select(recordId: number, isSelected: boolean): void {
    if (!pending.value.some((row) => row.recordId === recordId)) return;
    const next = new Set(selected.value);
    if (isSelected) next.add(recordId);
    else next.delete(recordId);
    selected.value = next;
  }

  /** Shows the status that decided records now have. */
  function setStatus(recordIds: ReadonlySet<number>, status: Status): void {
    if (!table.value) return;
    const rows = table.value.rows.map((row) => (recordIds.has(row.recordId) ? { ...row, status } : row));
    table.value = { ...table.value, rows };
    selected.value = new Set([...selected.value].filter((id) => !recordIds.has(id)));
  }

  function rowAt(recordId: number | undefined, by: number): TableRow | undefined {
    const rows = table.value?.rows ?? [];
    const at = rows.findIndex((row) => row.recordId === recordId);
    return rows[at < 0 ? 0 : at + by];
  }

  return { table, failure, current, selected, marks, pending, targets, open, select, setStatus, rowAt };
}
