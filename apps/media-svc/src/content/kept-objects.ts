/** Objects that were read lately, in memory. */
export interface KeptObjects {
  get(key: string): Buffer | undefined;
  set(key: string, bytes: Buffer): void;
}

/** Keeps up to `limit` bytes of objects; what was asked for longest ago goes first. */
export function keptObjects(limit: number): KeptObjects {
  // A Map gives its entries in the order in which they were set.
  const kept = new Map<string, Buffer>();
  let total = 0;
  const drop = (key: string, bytes: Buffer): void => {
    kept.delete(key);
    total -= bytes.length;
  };
  return {
    get: (key) => {
      const bytes = kept.get(key);
      if (bytes) {
        kept.delete(key);
        kept.set(key, bytes);
      }
      return bytes;
    },
    set: (key, bytes) => {
      const old = kept.get(key);
      if (old) drop(key, old);
      kept.set(key, bytes);
      total += bytes.length;
      for (const [oldest, its] of kept) {
        if (total <= limit) break;
        drop(oldest, its);
      }
    },
  };
}
