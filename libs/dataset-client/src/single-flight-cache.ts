import { LRUCache } from 'lru-cache';

/** Returns a cache of at most `max` values. Concurrent callers of a key share one computation. Failures are not cached. */
export function singleFlightCache<Value>(max: number): (key: string, make: () => Promise<Value>) => Promise<Value> {
  const cache = new LRUCache<string, Promise<Value>>({ max });
  return (key, make) => {
    const known = cache.get(key);
    if (known) return known;
    const made = make();
    cache.set(key, made);
    made.catch(() => {
      if (cache.peek(key) === made) cache.delete(key);
    });
    return made;
  };
}
