import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ClientKey } from '@esd/service/quota-client';
import { runs } from '@esd/testing/property-runs';
import { fairQueue, type FairQueueOptions } from '../src/fair-queue.ts';

const never = new AbortController().signal;

/** Creates a queue whose work ends when the test calls `end`. Records the order in which the work began. */
function queueUnderTest(options: Partial<FairQueueOptions>) {
  const queue = fairQueue({ queue: 'exports', concurrency: 1, maxWaiting: 8, ...options });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    add: (client: ClientKey, name: string, { weight = 0, signal = never } = {}) =>
      queue.run({ client, weight, signal }, () => {
        begun.push(name);
        return new Promise<string>((resolve) => {
          ends.set(name, () => {
            resolve(name);
          });
        });
      }),
    end: async (name: string) => {
      ends.get(name)?.();
      await nextTurn();
    },
  };
}

describe('a fair queue', () => {
  test('serves waiting clients in turn, regardless of how much work each has', async () => {
    const { add, begun, end } = queueUnderTest({});
    const done = [
      ...['a1', 'a2', 'a3'].map((name) => add('address a', name)),
      ...['b1', 'b2'].map((name) => add('address b', name)),
      add('account c', 'c1'),
    ];
    await nextTurn();
    const turns = ['a1', 'b1', 'c1', 'a2', 'b2', 'a3'];
    for (const name of turns) await end(name);
    expect(begun).toEqual(turns);
    await Promise.all(done);
  });

  test('runs one piece of work per client while others wait, and up to the concurrency for a single client', async () => {
    const { add, begun, end } = queueUnderTest({ concurrency: 2 });
    const done = ['a1', 'a2', 'a3', 'a4'].map((name) => add('address a', name));
    expect(begun).toEqual([]);
    await nextTurn();
    expect(begun).toEqual(['a1', 'a2']);
    done.push(add('address b', 'b1'), add('address c', 'c1'));
    await end('a1');
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    await end('a2');
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1']);
    for (const name of ['b1', 'c1', 'a3', 'a4']) await end(name);
    await Promise.all(done);
  });

  test('throws RATE_LIMITED beyond half of the waiting positions for a client, and UNAVAILABLE beyond all of them', async () => {
    const { add } = queueUnderTest({ maxWaiting: 4 });
    void add('address a', 'a1');
    void add('address a', 'a2');
    void add('address a', 'a3');
    await expect(add('address a', 'a4')).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 5 });
    void add('address b', 'b1');
    void add('address c', 'c1');
    await expect(add('address d', 'd1')).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: 5 });
  });

  test('frees the position of an aborted client', async () => {
    const { add, begun, end } = queueUnderTest({ maxWaiting: 2 });
    const gone = new AbortController();
    const first = add('address a', 'a1');
    const aborted = add('address b', 'b1', { signal: gone.signal });
    gone.abort(new Error('gone'));
    await expect(aborted).rejects.toThrow('gone');
    const second = add('address b', 'b2');
    await end('a1');
    await end('b2');
    await Promise.all([first, second]);
    expect(begun).toEqual(['a1', 'b2']);
  });

  test('continues after failed work', async () => {
    const queue = fairQueue({ queue: 'exports', concurrency: 1, maxWaiting: 2 });
    await expect(
      queue.run({ client: 'internal', signal: never }, () => Promise.reject(new Error('broken'))),
    ).rejects.toThrow('broken');
    await expect(queue.run({ client: 'internal', signal: never }, () => Promise.resolve(1))).resolves.toBe(1);
  });

  test('never exceeds concurrency or weight, and runs all work', async () => {
    const jobs = fc.array(
      fc.record({
        client: fc.constantFrom<ClientKey>('address a', 'address b', 'account c', 'internal'),
        weight: fc.integer({ min: 0, max: 12 }),
      }),
      { maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(jobs, fc.integer({ min: 1, max: 4 }), async (all, concurrency) => {
        const queue = fairQueue({ queue: 'exports', concurrency, maxWaiting: 100, maxWeight: 10 });
        let running = 0;
        let weight = 0;
        let done = 0;
        await Promise.all(
          all.map((job) =>
            queue.run({ ...job, signal: never }, async () => {
              running += 1;
              weight += job.weight;
              expect(running).toBeLessThanOrEqual(concurrency);
              expect(running === 1 || weight <= 10).toBe(true);
              await nextTurn();
              running -= 1;
              weight -= job.weight;
              done += 1;
            }),
          ),
        );
        expect(done).toBe(all.length);
      }),
      { numRuns: runs(50) },
    );
  });
});
