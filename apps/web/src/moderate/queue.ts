import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { pageOf, read } from '../client/read.ts';
import type { StaffRequest } from '../staff/service.ts';
import { type QueueView, queueQuery } from './address.ts';
import { type QueueEntry, queueEntry } from './shapes.ts';

const LOADED_AT_ONCE = 100;
/** Maximum number of records that the service lists or decides in one request. */
export const MAX_AT_ONCE = 1_000;

interface Queue {
  readonly entries: readonly QueueEntry[];
  readonly total: number;
  readonly isLoading: boolean;
  readonly error: unknown;
}

export type ReviewQueue = ReturnType<typeof reviewQueue>;

/** Lists the records that match the filters of the view, and selects some of them for one decision. */
export function reviewQueue(request: StaffRequest, view: ReadonlySignal<QueueView>) {
  const queue = signal<Queue>({ entries: [], total: 0, isLoading: true, error: undefined });
  /** The selected records with their listed revisions. */
  const chosen = signal<ReadonlyMap<number, number>>(new Map());
  let listing = new AbortController();

  /** Loads the queue from its start, or its next entries. */
  async function list(from: 'start' | 'end' = 'start'): Promise<void> {
    listing.abort();
    listing = new AbortController();
    const { signal: stop } = listing;
    const before = from === 'start' ? [] : queue.value.entries;
    queue.value = { ...queue.value, isLoading: true, error: undefined };
    try {
      // A submission is selected as a whole.
      const limit = view.value.submissionId === '' ? LOADED_AT_ONCE : MAX_AT_ONCE;
      const query = queueQuery(view.value, before.length, limit);
      const answer = read(pageOf(queueEntry), await request(`/moderation/queue?${query}`, { signal: stop }));
      if (stop.aborted) return;
      const known = new Set(before.map(({ recordId }) => recordId));
      const entries = [...before, ...answer.data.filter(({ recordId }) => !known.has(recordId))];
      queue.value = { entries, total: answer.total, isLoading: false, error: undefined };
    } catch (error) {
      if (!stop.aborted) queue.value = { ...queue.value, isLoading: false, error };
    }
  }

  function choose(recordId: number, isChosen: boolean): void {
    const entry = queue.value.entries.find((one) => one.recordId === recordId);
    const next = new Map(chosen.value);
    if (!isChosen) next.delete(recordId);
    else if (entry && next.size < MAX_AT_ONCE) next.set(recordId, entry.revision);
    chosen.value = next;
  }

  function chooseNone(): void {
    chosen.value = new Map();
  }

  function unchoose(recordIds: ReadonlySet<number>): void {
    chosen.value = new Map([...chosen.value].filter(([id]) => !recordIds.has(id)));
  }

  /** Removes records from the list and the selection without another request. */
  function remove(recordIds: ReadonlySet<number>): void {
    const { entries, total, ...rest } = queue.value;
    const left = entries.filter(({ recordId }) => !recordIds.has(recordId));
    queue.value = { ...rest, entries: left, total: total - (entries.length - left.length) };
    unchoose(recordIds);
  }

  return {
    queue,
    hasMore: computed(() => queue.value.entries.length < queue.value.total),
    chosen,
    list,
    choose,
    chooseNone,
    unchoose,
    remove,
  };
}
