import type { ClientKey } from './quota-client.ts';
import { ServiceError } from './errors.ts';

/** Limits a resource in total and per client. Does not queue; see `fairQueue`. */
export interface ClientShares {
  /**
   * Acquires `amount` for a client and returns an idempotent release function. The clients of a `network` (an IPv6 /48)
   * together have NETWORK_SHARES times the limit of one client.
   * Throws RATE_LIMITED beyond the limit of the client or its network, UNAVAILABLE beyond the total or for internal work.
   */
  acquire(client: ClientKey, amount?: number, network?: string): () => void;
}

export interface ClientSharesOptions {
  /** The plural name of the resource for messages: "uploads", "bytes of temporary files". */
  name: string;
  max: number;
  /** The limit per client; half of the total by default. */
  maxOfClient?: number;
  /** 5 by default. */
  retryAfterSeconds?: number;
}

/** The limit of a network, as a multiple of the limit of one client. */
export const NETWORK_SHARES = 8;

export function clientShares({
  name,
  max,
  maxOfClient = Math.max(1, Math.floor(max / 2)),
  retryAfterSeconds = 5,
}: ClientSharesOptions): ClientShares {
  const amounts = new Map<string, number>();
  let total = 0;
  const amountOf = (key: string): number => amounts.get(key) ?? 0;
  const reject = (code: 'RATE_LIMITED' | 'UNAVAILABLE', reason: string): never => {
    throw new ServiceError(code, `${reason}; try again in ${retryAfterSeconds} s.`, { retryAfterSeconds });
  };
  return {
    acquire: (client, amount = 1, network) => {
      const isBeyondShare = amountOf(client) + amount > maxOfClient;
      if (isBeyondShare && client !== 'internal') {
        reject('RATE_LIMITED', `A client may have at most ${maxOfClient} ${name} at a time`);
      }
      const keys: string[] = network === undefined ? [client] : [client, `network ${network}`];
      const maxOfNetwork = maxOfClient * NETWORK_SHARES;
      if (network !== undefined && amountOf(`network ${network}`) + amount > maxOfNetwork) {
        reject('RATE_LIMITED', `An IPv6 network (/48) may have at most ${maxOfNetwork} ${name} at a time`);
      }
      if (isBeyondShare || total + amount > max) {
        reject('UNAVAILABLE', `The service has reached its limit of ${max} ${name}`);
      }
      const change = (by: number): void => {
        total += by;
        for (const key of keys) {
          const sum = amountOf(key) + by;
          if (sum === 0) amounts.delete(key);
          else amounts.set(key, sum);
        }
      };
      change(amount);
      let isAcquired = true;
      return () => {
        if (isAcquired) change(-amount);
        isAcquired = false;
      };
    },
  };
}
