import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '@esd/testing/property-runs';
import { type CallLimit, callLimits, Overloaded } from '../../src/rpc/call-limit.ts';

const FOREVER_MS = 10_000_000;

let testEnds = new AbortController();
afterEach(() => {
  testEnds.abort();
  testEnds = new AbortController();
});

/** Creates a limit whose calls end when the test calls `end`. Records the order in which the calls began. */
function limitUnderTest({ slots = 2, waitMs = FOREVER_MS } = {}) {
  const limit = callLimits({ ESD_UPSTREAM_CONCURRENCY: slots, ESD_UPSTREAM_WAIT_MS: waitMs })('dataset-svc');
  const begun: number[] = [];
  const ends = new Map<number, () => void>();
  let next = 0;
  return {
    limit,
    begun,
    running: ends,
    call: (options: Parameters<CallLimit['run']>[0] = {}) => {
      const name = next++;
      const done = limit.run({ signal: testEnds.signal, ...options }, async () => {
        begun.push(name);
        await new Promise<void>((resolve) => ends.set(name, resolve));
        return name;
      });
      done.catch(() => undefined);
      return done;
    },
    end: async (name: number) => {
      ends.get(name)?.();
      ends.delete(name);
      await nextTurn();
    },
  };
}

describe('the limit of calls to a service', () => {
  test('starts calls up to the number of slots, then the waiting ones in order of arrival', async () => {
    const { call, begun, end, limit } = limitUnderTest({ slots: 2 });
    const done = Array.from({ length: 5 }, () => call());
    await nextTurn();
    expect([begun, limit.inFlight, limit.waiting]).toEqual([[0, 1], 2, 3]);
    for (const name of [1, 0, 2, 3, 4]) await end(name);
    expect(begun).toEqual([0, 1, 2, 3, 4]);
    expect(await Promise.all(done)).toEqual([0, 1, 2, 3, 4]);
    expect([limit.inFlight, limit.waiting]).toEqual([0, 0]);
  });

  test('refuses a call with 503 and Retry-After of 1 to 3 s while 256 calls wait', async () => {
    const { call, limit, end } = limitUnderTest({ slots: 1 });
    const calls = Array.from({ length: 257 }, () => call());
    expect(limit.isFull).toBe(true);
    const refusal: unknown = await call().catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(Overloaded);
    expect(refusal).toMatchObject({ code: 'UNAVAILABLE', limit });
    expect([1, 2, 3]).toContain(refusal instanceof Overloaded ? refusal.retryAfterSeconds : undefined);
    await end(0);
    expect([await calls[0], limit.isFull]).toEqual([0, false]);
  });

  test('refuses the calls of a service that does not respond, which never begin', async () => {
    const { call, begun, end, limit } = limitUnderTest({ slots: 1, waitMs: 1 });
    const first = call();
    await expect(call()).rejects.toBeInstanceOf(Overloaded);
    await end(0);
    await first;
    expect([begun, limit.inFlight, limit.waiting]).toEqual([[0], 0, 0]);
  });

  test('reserved calls have 16 slots and a queue of their own', async () => {
    const { call, begun, limit } = limitUnderTest({ slots: 1 });
    for (let count = 0; count < 257; count += 1) void call();
    await nextTurn();
    expect([begun.length, limit.isFull]).toEqual([1, true]);
    for (let count = 0; count < 17; count += 1) void call({ isReserved: true });
    await nextTurn();
    expect([begun.length, limit.inFlight, limit.waiting]).toEqual([17, 17, 257]);
  });

  test('a call whose caller disconnects leaves the queue', async () => {
    const { call, begun, end, limit } = limitUnderTest({ slots: 1 });
    const caller = new AbortController();
    void call();
    const waiting = call({ signal: caller.signal });
    void call();
    caller.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(limit.waiting).toBe(1);
    await end(0);
    expect(begun).toEqual([0, 2]);
    await expect(call({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(limit.waiting).toBe(0);
  });

  test('a failed call frees its slot', async () => {
    const { limit } = limitUnderTest({ slots: 1 });
    await expect(limit.run({}, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(await limit.run({}, () => Promise.resolve('served'))).toBe('served');
  });

  test('never exceeds its bounds, keeps the order, and loses no slot, whatever happens', async () => {
    const action = fc.oneof(
      fc.record({ kind: fc.constant('call' as const), isReserved: fc.boolean() }),
      fc.record({ kind: fc.constantFrom('end' as const, 'abort' as const), at: fc.nat() }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 80 }), fc.integer({ min: 1, max: 4 }), async (actions, slots) => {
        const { call, begun, running, end, limit } = limitUnderTest({ slots });
        const reserved = new Set<number>();
        const callers: AbortController[] = [];
        const calls: Promise<unknown>[] = [];
        for (const one of actions) {
          if (one.kind === 'call') {
            const caller = new AbortController();
            if (one.isReserved) reserved.add(callers.length);
            callers.push(caller);
            calls.push(call({ isReserved: one.isReserved, signal: caller.signal }).catch(() => undefined));
            await nextTurn();
          } else if (one.kind === 'abort') {
            callers[one.at % callers.length]?.abort();
          } else {
            const names = [...running.keys()];
            await end(names[one.at % names.length] ?? -1);
          }
          const runningReserved = [...running.keys()].filter((name) => reserved.has(name)).length;
          expect(runningReserved).toBeLessThanOrEqual(16);
          expect(running.size - runningReserved).toBeLessThanOrEqual(slots);
          expect(limit.inFlight).toBe(running.size);
        }
        while (running.size > 0) for (const name of [...running.keys()]) await end(name);
        await Promise.all(calls);
        expect([limit.inFlight, limit.waiting]).toEqual([0, 0]);
        for (const kind of [true, false]) {
          const order = begun.filter((name) => reserved.has(name) === kind);
          expect(order).toEqual([...order].sort((a, b) => a - b));
        }
      }),
      { numRuns: runs(1_000) },
    );
  });
});

describe('the budget of retries', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  test('allows three retries per second without calls, and a tenth of the calls of the last 10 s', () => {
    jest.useFakeTimers();
    const { limit } = limitUnderTest();
    const allowed = (): number => {
      let count = 0;
      while (limit.takeRetry()) count += 1;
      return count;
    };
    expect(allowed()).toBe(30);
    jest.advanceTimersByTime(10_000);
    for (let count = 0; count < 500; count += 1) limit.countCall();
    expect(allowed()).toBe(50);
    jest.advanceTimersByTime(5_000);
    expect(allowed()).toBe(0);
    for (let count = 0; count < 500; count += 1) limit.countCall();
    expect(allowed()).toBe(50);
    jest.advanceTimersByTime(5_000);
    expect(allowed()).toBe(0);
    jest.advanceTimersByTime(10_000);
    expect(allowed()).toBe(30);
  });
});

test('clients of the same service share one limit; other services have their own', () => {
  const limits = callLimits();
  expect(limits('dataset-svc')).toBe(limits('dataset-svc'));
  expect(limits('media-svc')).not.toBe(limits('dataset-svc'));
});
