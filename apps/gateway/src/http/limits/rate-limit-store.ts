/** How often a key was counted in its window, and when the window ends, in milliseconds since 1970. */
export interface Counted {
  hits: number;
  endsAt: number;
}

/**
 * Counts by key, requests unless `hits` says otherwise, each key in a fixed window of `windowMs` that begins with its first request. It
 * holds at most twice `max` keys: a count is lost before its window ends only when `max` other keys have come since its last
 * request. So a client that uses ever more addresses gains nothing before `max` of them have used up their limit within one
 * window.
 */
export function rateLimitStore(max: number, windowMs: number): (key: string, hits?: number) => Readonly<Counted> {
  let renewedAt = Date.now();
  // Two generations: the older one goes as a whole, so that nothing has to be searched or timed.
  let older = new Map<string, Counted>();
  let newer = new Map<string, Counted>();

  const windowOf = (key: string, now: number): Counted => {
    const known = newer.get(key);
    if (known) return known;
    if (newer.size >= max || now - renewedAt >= windowMs) {
      older = newer;
      newer = new Map();
      renewedAt = now;
    }
    const found = older.get(key) ?? { hits: 0, endsAt: 0 };
    newer.set(key, found);
    return found;
  };
  return (key, hits = 1) => {
    const now = Date.now();
    const window = windowOf(key, now);
    if (window.endsAt <= now) {
      window.hits = 0;
      window.endsAt = now + windowMs;
    }
    window.hits += hits;
    // A copy, since others may count on before it is read.
    return { hits: window.hits, endsAt: window.endsAt };
  };
}
