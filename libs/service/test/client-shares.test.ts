import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ClientKey } from '../src/quota-client.ts';
import { clientShares } from '../src/client-shares.ts';

const options = { name: 'uploads', max: 4 };

describe('shares of clients', () => {
  test('reject a client beyond half with 429, and all clients beyond the total with 503', () => {
    const shares = clientShares(options);
    const release = shares.acquire('address a');
    shares.acquire('address a');
    expect(() => shares.acquire('address a')).toThrow(
      expect.objectContaining({ code: 'RATE_LIMITED', retryAfterSeconds: 5 }),
    );
    shares.acquire('address b', 2);
    expect(() => shares.acquire('account c')).toThrow(
      expect.objectContaining({ code: 'UNAVAILABLE', retryAfterSeconds: 5 }),
    );
    release();
    release();
    shares.acquire('account c');
    expect(() => shares.acquire('account d')).toThrow(expect.objectContaining({ code: 'UNAVAILABLE' }));
  });

  test('reject a network beyond eight client shares with 429, but not clients of other networks', () => {
    const shares = clientShares({ ...options, max: 100, maxOfClient: 2 });
    const taken = Array.from({ length: 8 }, (_, index) => shares.acquire(`address ${index}`, 2, 'site'));
    expect(() => shares.acquire('address 9', 1, 'site')).toThrow(expect.objectContaining({ code: 'RATE_LIMITED' }));
    shares.acquire('address 9', 1, 'another site');
    shares.acquire('address 10');
    taken[0]?.();
    shares.acquire('address 11', 2, 'site');
  });

  test('never exceed the total, or half of it per client, for any sequence of operations', () => {
    const step = fc.record({
      client: fc.integer({ min: 0, max: 3 }),
      amount: fc.integer({ min: 1, max: 4 }),
      isRelease: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 2, max: 9 }), (steps, max) => {
        const shares = clientShares({ ...options, max });
        const held = new Map<ClientKey, { amount: number; release: () => void }[]>();
        for (const { client, amount, isRelease } of steps) {
          const key: ClientKey = `account ${client}`;
          const own = held.get(key) ?? [];
          held.set(key, own);
          if (isRelease) own.pop()?.release();
          else {
            try {
              own.push({ amount, release: shares.acquire(key, amount) });
            } catch {
              // A rejection changes nothing.
            }
          }
          const sums = [...held.values()].map((list) => list.reduce((sum, one) => sum + one.amount, 0));
          expect(Math.max(...sums)).toBeLessThanOrEqual(Math.floor(max / 2));
          expect(sums.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(max);
        }
      }),
    );
  });
});
