import { computed, signal } from '@preact/signals';
import * as z from 'zod/mini';
import { pageOf, read } from '../client/read.ts';
import type { StaffRequest } from '../staff/service.ts';
import { type KindCounts, kindCounts } from './shapes.ts';

/** Number of entries that one request adds to a list. */
export const LOADED_AT_ONCE = 100;
/** Maximum number of records that the service lists or decides in one request. */
export const MAX_AT_ONCE = 1_000;

interface Listed<Entry> {
  readonly entries: readonly Entry[];
  readonly total: number;
  readonly counts: KindCounts | undefined;
  readonly isLoading: boolean;
  readonly error: unknown;
}

/**
 * Lists the records or submissions that match the filters of the view.
 * @param addressOf returns the address of the entries after the first `skip`
 */
export function reviewQueue<Entry>(
  request: StaffRequest,
  item: z.ZodMiniType<Entry>,
  addressOf: (skip: number) => string,
  idOf: (entry: Entry) => number,
) {
  const queue = signal<Listed<Entry>>({ entries: [], total: 0, counts: undefined, isLoading: true, error: undefined });
  const page = z.intersection(pageOf(item), z.object({ counts: kindCounts }));
  let listing = new AbortController();

  /** Loads the queue from its start, or its next entries. */
  async function list(from: 'start' | 'end' = 'start'): Promise<void> {
    listing.abort();
    listing = new AbortController();
    const { signal: stop } = listing;
    const before = from === 'start' ? [] : queue.value.entries;
    queue.value = { ...queue.value, isLoading: true, error: undefined };
    try {
      const { data, total, counts } = read(page, await request(addressOf(before.length), { signal: stop }));
      if (stop.aborted) return;
      const known = new Set(before.map(idOf));
      const entries = [...before, ...data.filter((entry) => !known.has(idOf(entry)))];
      queue.value = { entries, total, counts, isLoading: false, error: undefined };
    } catch (error) {
      if (!stop.aborted) queue.value = { ...queue.value, isLoading: false, error };
    }
  }

  /** Removes entries from the list without another request. */
  function remove(ids: ReadonlySet<number>): void {
    const { entries, total, ...rest } = queue.value;
    const left = entries.filter((entry) => !ids.has(idOf(entry)));
    queue.value = { ...rest, entries: left, total: total - (entries.length - left.length) };
  }

  /** Finds the first entry after one of the removed entries that remains, or else the last one that remains. */
  function entryAfter(id: number, removed: ReadonlySet<number>): Entry | undefined {
    const { entries } = queue.value;
    const remains = (entry: Entry): boolean => !removed.has(idOf(entry));
    const at = entries.findIndex((entry) => idOf(entry) === id);
    return entries.slice(Math.max(at, 0)).find(remains) ?? entries.findLast(remains);
  }

  /** Returns the entry that is `by` places after another one, or the first one if the list does not have it. */
  function entryAt(id: number | undefined, by: number): Entry | undefined {
    const { entries } = queue.value;
    const at = entries.findIndex((entry) => idOf(entry) === id);
    return entries[at < 0 ? 0 : at + by];
  }

  const hasMore = computed(() => queue.value.entries.length < queue.value.total);
  return { queue, hasMore, list, remove, entryAfter, entryAt };
}
