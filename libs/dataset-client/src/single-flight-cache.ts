import { LRUCache } from 'lru-cache';

/** Returns a cache of at most `max` values. Concurrent callers of a key share one computation. Failures are not cached. */
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
