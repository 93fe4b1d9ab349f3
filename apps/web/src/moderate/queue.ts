import { computed, signal } from '@preact/signals';
import type { ResponseAt } from '@esd/api/operations';

/** Number of entries that one request adds to a list. */
export const LOADED_AT_ONCE = 100;
/** Maximum number of records that the service lists or decides in one request. */
export const MAX_AT_ONCE = 1_000;

interface Page<Entry> {
  data: Entry[];
  total: number;
  counts: ResponseAt<'get', '/moderation/queue'>['counts'];
}

interface Listed<Entry> {
  readonly entries: readonly Entry[];
  readonly total: number;
  readonly counts: Page<Entry>['counts'] | undefined;
  readonly isLoading: boolean;
  readonly error: unknown;
}

/**
 * Lists the records or submissions that match the filters of the view.
 * @param load loads the entries after the first `skip`
 */
export function reviewQueue<Entry>(
  load: (skip: number, signal: AbortSignal) => Promise<{ body: Page<Entry> }>,
  idOf: (entry: Entry) => number,
) {
  const queue = signal<Listed<Entry>>({ entries: [], total: 0, counts: undefined, isLoading: true, error: undefined });
  let listing = new AbortController();

  /** Loads the queue from its start, or its next entries. */
  async function list(from: 'start' | 'end' = 'start'): Promise<void> {
    listing.abort();
    listing = new AbortController();
    const { signal: stop } = listing;
    const before = from === 'start' ? [] : queue.value.entries;
    queue.value = { ...queue.value, isLoading: true, error: undefined };
    try {
      const { data, total, counts } = (await load(before.length, stop)).body;
      if (stop.aborted) return;
      const listed = new Set(before.map(idOf));
      const entries = [...before, ...data.filter((entry) => !listed.has(idOf(entry)))];
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
