import { clientAt, NETWORK_SHARES } from './client-ip.ts';

/** What somebody holds of what clients share. */
export interface Share {
  /** Gives it back; a second call does nothing. */
  release(): void;
}

/** Divides what a process has among its clients. */
export interface Shares {
  /** Takes `amount` for the client at an address; 'client' or 'process' when its share, or all that there is, would not do. */
  take(ip: string, amount: number): Share | 'client' | 'process';
}

/** Makes shares: at most `ofClient` a client, eight times that a /48 of IPv6, and `ofProcess` in all. */
export function shares(ofClient: number, ofProcess: number): Shares {
  const held = new Map<string, number>();
  let total = 0;
  const add = (key: string, amount: number): void => {
    const sum = (held.get(key) ?? 0) + amount;
    if (sum > 0) held.set(key, sum);
    else held.delete(key);
  };
  return {
    take: (ip, amount) => {
      const { block, network } = clientAt(ip);
      if ((held.get(block) ?? 0) + amount > ofClient) return 'client';
      if (network !== undefined && (held.get(network) ?? 0) + amount > ofClient * NETWORK_SHARES) return 'client';
      if (total + amount > ofProcess) return 'process';
      const keys = network === undefined ? [block] : [block, network];
      const change = (by: number): void => {
        total += by;
        for (const key of keys) add(key, by);
      };
      change(amount);
      let isHeld = true;
      return {
        release: () => {
          if (isHeld) change(-amount);
          isHeld = false;
        },
      };
    },
  };
}
