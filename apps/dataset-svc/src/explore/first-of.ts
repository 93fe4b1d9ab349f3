import { yieldAfterSlice } from '../read-index/slices.ts';

const ITEMS_A_TURN = 256;

/** Returns the first `limit` items by a comparison, without sorting all of them. */
export async function firstOf<Item>(
  items: Iterable<Item>,
  limit: number,
  compare: (a: Item, b: Item) => number,
): Promise<Item[]> {
  let first: Item[] = [];
  /** The last of `limit` items so far; later items in the order are skipped. */
  let last: Item | undefined;
  let visited = 0;
  const cut = (): void => {
    first = first.sort(compare).slice(0, limit);
    last = first.length === limit ? first.at(-1) : undefined;
  };
  for (const item of items) {
    if (++visited % ITEMS_A_TURN === 0) await yieldAfterSlice();
    if (last !== undefined && compare(item, last) >= 0) continue;
    first.push(item);
    if (first.length >= 2 * limit) cut();
  }
  cut();
  return first;
}
