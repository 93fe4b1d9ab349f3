import type { Store } from 'express-rate-limit';

/**
 * A store for express-rate-limit: counts requests by key, each key in a fixed window that begins with its first request. It
 * holds at most twice `max` keys: a count is lost before its window ends only when `max` other keys have come since its last
 * request. So a client that uses ever more addresses gains nothing before `max` of them have used up their limit within one
 * window.
 */
export function rateLimitStore(max: number): Store {
  let windowMs = 0;
  let renewedAt = Date.now();
  // Two generations: the older one goes as a whole, so that nothing has to be searched or timed.
  let older = new Map<string, Window>();
  let newer = new Map<string, Window>();

  const windowOf = (key: string, now: number): Window => {
    const known = newer.get(key);
    if (known) return known;
    if (newer.size >= max || now - renewedAt >= windowMs) {
      older = newer;
      newer = new Map();
      renewedAt = now;
    }
    const found = older.get(key) ?? { totalHits: 0, resetTime: new Date(0) };
    newer.set(key, found);
    return found;
  };
  return {
    localKeys: true,
    init: (options) => {
      windowMs = options.windowMs;
    },
    increment: (key) => {
      const now = Date.now();
      const window = windowOf(key, now);
      if (window.resetTime.getTime() <= now) {
        window.totalHits = 0;
        window.resetTime = new Date(now + windowMs);
      }
      window.totalHits++;
      // A copy, since others may count on before it is read.
      return { ...window };
    },
    // Never called: refused requests count too.
    decrement: () => undefined,
    resetKey: (key) => {
      older.delete(key);
      newer.delete(key);
    },
  };
}

interface Window {
  totalHits: number;
  resetTime: Date;
}
