export interface Random {
  /** Returns a number in [0, 1). */
  next(): number;
  /** Returns an integer in [0, count). */
  below(count: number): number;
  /** Returns a random item. Throws if `items` is empty. */
  pick<Item>(items: readonly Item[]): Item;
}

/** Creates a mulberry32 generator (Tommy Ettinger, public domain) with 32 bits of state. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number): number => Math.floor(next() * count);
  return {
    next,
    below,
    pick: (items) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error('cannot pick from an empty list');
      return item;
    },
  };
}
