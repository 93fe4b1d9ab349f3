/** The count of a key in its window, and the end of the window in milliseconds since 1970. */
export interface Counted {
  hits: number;
  endsAt: number;
}

/**
 * Counts by key, in a fixed window of `windowMs` that begins with the first request of the key. Stores at most twice `max`
 * keys, so a count is lost early only if `max` other keys are counted after its last request. A client that changes its
 * address therefore gains nothing until `max` addresses have used up their limit within one window.
 */
export function rateLimitStore(max: number, windowMs: number): (key: string, hits?: number) => Readonly<Counted> {
  let renewedAt = Date.now();
  // Two generations: the older one is dropped as a whole, without searches or timers.
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
    // A copy, because later requests may change the window before the result is read.
    return { hits: window.hits, endsAt: window.endsAt };
  };
}
