import type { ClientKey } from './client.ts';
import { ServiceError } from './errors.ts';

/** Bounds what all clients hold together, and how much of it one of them may hold. Nothing waits here; see `fairQueue`. */
export interface ClientShares {
  /**
   * Takes `amount` for a client; what it returns gives it back, once.
   * Throws RATE_LIMITED beyond the client's half, UNAVAILABLE beyond the whole, or the half of internal work.
   */
  take(client: ClientKey, amount?: number): () => void;
}

export interface ClientSharesOptions {
  /** What is held, in the plural, for messages: "uploads", "bytes of temporary files". */
  name: string;
  /** What all clients hold together, at most; one client holds at most half of it. */
  max: number;
  /** After how many seconds a refused client may try again. */
  retryAfterSeconds: number;
}

/** Makes the account of what clients hold. */
export function clientShares({ name, max, retryAfterSeconds }: ClientSharesOptions): ClientShares {
  const held = new Map<ClientKey, number>();
  const maxOfClient = Math.max(1, Math.floor(max / 2));
  let total = 0;
  const change = (client: ClientKey, amount: number): void => {
    total += amount;
    const own = (held.get(client) ?? 0) + amount;
    if (own === 0) held.delete(client);
    else held.set(client, own);
  };
  return {
    take: (client, amount = 1) => {
      const isBeyondShare = (held.get(client) ?? 0) + amount > maxOfClient;
      if (isBeyondShare && client !== 'internal') {
        throw new ServiceError(
          'RATE_LIMITED',
          `A client may have at most ${maxOfClient} ${name} at a time; try again in ${retryAfterSeconds} s.`,
          undefined,
          retryAfterSeconds,
        );
      }
      if (isBeyondShare || total + amount > max) {
        throw new ServiceError(
          'UNAVAILABLE',
          `There is no room for more ${name} at the moment; try again in ${retryAfterSeconds} s.`,
          undefined,
          retryAfterSeconds,
        );
      }
      change(client, amount);
      let isHeld = true;
      return () => {
        if (isHeld) change(client, -amount);
        isHeld = false;
      };
    },
  };
}
