import { LRUCache } from 'lru-cache';

/**
 * Makes what a key stands for once, also where several ask at the same time, and keeps at most `max` of them. What failed is made again
 * for who asks next.
 */
export function singleFlightCache<Value>(max: number): (key: string, make: () => Promise<Value>) => Promise<Value> {
  const kept = new LRUCache<string, Promise<Value>>({ max });
  return (key, make) => {
    const known = kept.get(key);
    if (known) return known;
    const made = make();
    kept.set(key, made);
    made.catch(() => {
      if (kept.peek(key) === made) kept.delete(key);
    });
    return made;
  };
}
