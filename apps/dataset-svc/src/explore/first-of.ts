import { takeTurns } from '../read-index/take-turns.ts';

const LOOKED_AT = 256;

/** Returns the first `limit` items by a comparison, without sorting all of them. */
export async function firstOf<Item>(
  items: Iterable<Item>,
  limit: number,
  compare: (a: Item, b: Item) => number,
): Promise<Item[]> {
  let kept: Item[] = [];
  /** Items that come after it are not among the first. */
  let last: Item | undefined;
  let seen = 0;
  const cut = (): void => {
    kept = kept.sort(compare).slice(0, limit);
    last = kept.length === limit ? kept.at(-1) : undefined;
  };
  for (const item of items) {
    if (++seen % LOOKED_AT === 0) await takeTurns();
    if (last !== undefined && compare(item, last) >= 0) continue;
    kept.push(item);
    if (kept.length >= 2 * limit) cut();
  }
  cut();
  return kept;
}
