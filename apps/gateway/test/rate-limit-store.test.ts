import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { rateLimit, type Store } from 'express-rate-limit';
import { rateLimitStore } from '../src/http/limits/rate-limit-store.ts';

const WINDOW_MS = 60_000;
const START = Date.parse('2026-01-01T00:00:00Z');

beforeEach(() => {
  jest.useFakeTimers({ now: START });
});
afterEach(() => {
  jest.useRealTimers();
});

/** A store as the limiter sets it up. */
function storeOf(most: number): Store {
  const store = rateLimitStore(most);
  rateLimit({ windowMs: WINDOW_MS, store });
  return store;
}

async function hits(store: Store, key: string): Promise<number> {
  return (await store.increment(key)).totalHits;
}

test('each key is counted separately, in a window that begins with its first request', async () => {
  const store = storeOf(100);
  expect(await store.increment('a')).toEqual({ totalHits: 1, resetTime: new Date(START + WINDOW_MS) });
  jest.advanceTimersByTime(40_000);
  expect(await store.increment('a')).toEqual({ totalHits: 2, resetTime: new Date(START + WINDOW_MS) });
  expect(await store.increment('b')).toEqual({ totalHits: 1, resetTime: new Date(START + 100_000) });
  jest.advanceTimersByTime(19_999);
  expect(await hits(store, 'a')).toBe(3);
  jest.advanceTimersByTime(1);
  expect(await store.increment('a')).toEqual({ totalHits: 1, resetTime: new Date(START + 120_000) });
  expect(await hits(store, 'b')).toBe(2);
});

test('a count survives the change of generations until its window ends', async () => {
  const store = storeOf(100);
  await store.increment('early');
  jest.advanceTimersByTime(59_000);
  await store.increment('late');
  jest.advanceTimersByTime(2_000);
  expect(await hits(store, 'early')).toBe(1);
  expect(await hits(store, 'late')).toBe(2);
});

test('a result is not changed by later requests', async () => {
  const store = storeOf(100);
  const first = await store.increment('a');
  await store.increment('a');
  expect(first.totalHits).toBe(1);
});

test('a key that keeps coming is never forgotten, however many others come', async () => {
  const store = storeOf(10);
  for (let round = 1; round <= 100; round++) {
    expect(await hits(store, 'attacker')).toBe(round);
    for (let other = 0; other < 9; other++) await store.increment(`${round}.${other}`);
  }
});

test('a key is forgotten early only after as many other keys as the store has room for', async () => {
  const store = storeOf(10);
  await store.increment('quiet');
  for (let other = 0; other < 10; other++) await store.increment(`other ${other}`);
  expect(await hits(store, 'quiet')).toBe(2);
  for (let other = 0; other < 20; other++) await store.increment(`another ${other}`);
  expect(await hits(store, 'quiet')).toBe(1);
});

test('a million keys take at most twice the room of the store', async () => {
  jest.useRealTimers();
  const store = storeOf(50_000);
  const before = heapMb();
  for (let key = 0; key < 1_000_000; key++) await store.increment(`2001:db8:${key.toString(16)}::/64`);
  // 100,000 of them are kept; all of them would take some 250 MB.
  expect(heapMb() - before).toBeLessThan(35);
  expect(await hits(store, '2001:db8:0::/64')).toBe(1);
  expect(await hits(store, `2001:db8:${(999_999).toString(16)}::/64`)).toBe(2);
});

/** What lives on the heap, in MB. */
function heapMb(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc()');
  return process.memoryUsage().heapUsed / 2 ** 20;
}
