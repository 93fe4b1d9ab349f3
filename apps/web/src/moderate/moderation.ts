import { signal } from '@preact/signals';
import type { Staff } from '../staff/service.ts';
import { type QueueView, viewOf, searchOf } from './address.ts';
import { decisions } from './decisions.ts';
import { openRecord } from './open-record.ts';
import { reviewQueue } from './queue.ts';
import type { QueueEntry } from './shapes.ts';

export type Moderation = ReturnType<typeof moderation>;

/** Creates the state of the page. The view is in the URL; the queue and the open record follow it. */
export function moderation({ request }: Pick<Staff, 'request'>) {
  const view = signal<QueueView>(viewOf(location.search));
  const reviews = reviewQueue(request, view);
  const { queue, hasMore, chosen, list, choose, chooseNone } = reviews;
  const record = openRecord(request, view);

  /** Changes the view, and adds it to the browser history or replaces the current entry. */
  function go(change: Partial<QueueView>, how: 'push' | 'replace' = 'push'): void {
    const before = view.value;
    view.value = { ...before, ...change };
    const address = location.pathname + searchOf(view.value);
    if (how === 'push') history.pushState(null, '', address);
    else history.replaceState(null, '', address);
    arrive(before);
  }

  /** Follows the URL after the browser went back or forward. */
  function restoreFromUrl(): void {
    const before = view.value;
    view.value = viewOf(location.search);
    arrive(before);
  }

  function arrive(before: QueueView): void {
    const { recordId, ...filters } = view.value;
    if (searchOf({ ...filters, recordId: undefined }) !== searchOf({ ...before, recordId: undefined })) {
      chooseNone();
      if (!view.value.isMine) void list();
    }
    if (recordId !== before.recordId) void record.open();
  }

  /** Opens the next or the previous entry of the queue. */
  function step(by: 1 | -1): void {
    const { entries } = queue.value;
    const at = entries.findIndex(({ recordId }) => recordId === view.value.recordId);
    const next = entries[at < 0 ? 0 : at + by];
    if (next) go({ recordId: next.recordId }, 'replace');
  }

  /** Removes records from the queue. If the open record is among them, opens the one that follows. */
  function leave(recordIds: ReadonlySet<number>): void {
    const { recordId } = view.value;
    const before = queue.value.entries;
    reviews.remove(recordIds);
    if (recordId === undefined || !recordIds.has(recordId)) return;
    go({ recordId: entryAfter(recordId, before, recordIds)?.recordId }, 'replace');
    const { entries, total } = queue.value;
    if (entries.length === 0 && total > 0) void list();
  }

  const { shown, failure, open } = record;
  return {
    view,
    queue,
    hasMore,
    chosen,
    list,
    choose,
    chooseNone,
    shown,
    failure,
    open,
    go,
    restoreFromUrl,
    step,
    ...decisions({ request, reviews, record, leave }),
  };
}

/** Finds the first entry after a record that is not removed, or the last one that remains. */
function entryAfter(
  recordId: number,
  entries: readonly QueueEntry[],
  removed: ReadonlySet<number>,
): QueueEntry | undefined {
  const remains = (entry: QueueEntry): boolean => !removed.has(entry.recordId);
  const at = entries.findIndex((entry) => entry.recordId === recordId);
  return entries.slice(Math.max(at, 0)).find(remains) ?? entries.findLast(remains);
}
