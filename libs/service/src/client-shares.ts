import type { ClientKey } from './auth/client.ts';
import { ServiceError } from './errors.ts';

/** Bounds what all clients hold together, and how much of it one of them may hold. Nothing waits here; see `fairQueue`. */
export interface ClientShares {
  /**
   * Takes `amount` for a client; what it returns gives it back, once. All clients of a `network` (the IPv6 /48 that one site
   * may have) together take at most NETWORK_SHARES times the share of one.
   * Throws RATE_LIMITED beyond the share of the client or its network, UNAVAILABLE beyond the whole, or the share of internal work.
   */
  take(client: ClientKey, amount?: number, network?: string): () => void;
}

export interface ClientSharesOptions {
  /** What is held, in the plural, for messages: "uploads", "bytes of temporary files". */
  name: string;
  /** What all clients hold together, at most. */
  max: number;
  /** What one client holds, at most; half of the whole unless given. */
  maxOfClient?: number;
  /** After how many seconds a refused client may try again. */
  retryAfterSeconds: number;
}

/** How many times the share of one client all clients of a network have together. */
export const NETWORK_SHARES = 8;

/** Makes the account of what clients hold. */
export function clientShares({
  name,
  max,
  maxOfClient = Math.max(1, Math.floor(max / 2)),
  retryAfterSeconds,
}: ClientSharesOptions): ClientShares {
  const held = new Map<string, number>();
  let total = 0;
  const heldBy = (key: string): number => held.get(key) ?? 0;
  const refuse = (code: 'RATE_LIMITED' | 'UNAVAILABLE', reason: string): never => {
    throw new ServiceError(code, `${reason}; try again in ${retryAfterSeconds} s.`, undefined, retryAfterSeconds);
  };
  return {
    take: (client, amount = 1, network) => {
      const isBeyondShare = heldBy(client) + amount > maxOfClient;
      if (isBeyondShare && client !== 'internal') {
        refuse('RATE_LIMITED', `A client may have at most ${maxOfClient} ${name} at a time`);
      }
      const keys: string[] = network === undefined ? [client] : [client, `network ${network}`];
      const maxOfNetwork = maxOfClient * NETWORK_SHARES;
      if (network !== undefined && heldBy(`network ${network}`) + amount > maxOfNetwork) {
        refuse('RATE_LIMITED', `An IPv6 network (/48) may have at most ${maxOfNetwork} ${name} at a time`);
      }
      if (isBeyondShare || total + amount > max) {
        refuse('UNAVAILABLE', `There is no room for more ${name} at the moment`);
      }
      const change = (by: number): void => {
        total += by;
        for (const key of keys) {
          const sum = heldBy(key) + by;
          if (sum === 0) held.delete(key);
          else held.set(key, sum);
        }
      };
      change(amount);
      let isHeld = true;
      return () => {
        if (isHeld) change(-amount);
        isHeld = false;
      };
    },
  };
}
