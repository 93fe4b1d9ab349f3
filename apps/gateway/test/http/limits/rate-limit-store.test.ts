import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { rateLimitStore } from '../../../src/http/limits/rate-limit-store.ts';

const WINDOW_MS = 60_000;
const START = Date.parse('2026-01-01T00:00:00Z');

beforeEach(() => {
  jest.useFakeTimers({ now: START });
});
afterEach(() => {
  jest.useRealTimers();
});

type Count = ReturnType<typeof rateLimitStore>;

const storeOf = (max: number): Count => rateLimitStore(max, WINDOW_MS);
const hits = (count: Count, key: string): number => count(key).hits;

test('each key is counted separately, in a window that begins with its first request', () => {
  const store = storeOf(100);
  expect(store('a')).toEqual({ hits: 1, endsAt: START + WINDOW_MS });
  jest.advanceTimersByTime(40_000);
  expect(store('a')).toEqual({ hits: 2, endsAt: START + WINDOW_MS });
  expect(store('b')).toEqual({ hits: 1, endsAt: START + 100_000 });
  jest.advanceTimersByTime(19_999);
  expect(hits(store, 'a')).toBe(3);
  jest.advanceTimersByTime(1);
  expect(store('a')).toEqual({ hits: 1, endsAt: START + 120_000 });
  expect(hits(store, 'b')).toBe(2);
});

test('a count survives the change of generations until its window ends', () => {
  const store = storeOf(100);
  store('early');
  jest.advanceTimersByTime(59_000);
  store('late');
  jest.advanceTimersByTime(2_000);
  expect(hits(store, 'early')).toBe(1);
  expect(hits(store, 'late')).toBe(2);
});

test('a result is not changed by later requests', () => {
  const store = storeOf(100);
  const first = store('a');
  store('a');
  expect(first.hits).toBe(1);
});

test('the count of a recurring key is never lost, regardless of other keys', () => {
  const store = storeOf(10);
  for (let round = 1; round <= 100; round++) {
    expect(hits(store, 'attacker')).toBe(round);
    for (let other = 0; other < 9; other++) store(`${round}.${other}`);
  }
});

test('a count is lost early only after as many other keys as the store can hold', () => {
  const store = storeOf(10);
  store('quiet');
  for (let other = 0; other < 10; other++) store(`other ${other}`);
  expect(hits(store, 'quiet')).toBe(2);
  for (let other = 0; other < 20; other++) store(`another ${other}`);
  expect(hits(store, 'quiet')).toBe(1);
});

test('a million keys take at most twice the size of the store', () => {
  jest.useRealTimers();
  const store = storeOf(50_000);
  const before = heapMb();
  for (let key = 0; key < 1_000_000; key++) store(`2001:db8:${key.toString(16)}::/64`);
  // It stores 100,000 of them; all of them would take about 250 MB.
  expect(heapMb() - before).toBeLessThan(35);
  expect(hits(store, '2001:db8:0::/64')).toBe(1);
  expect(hits(store, `2001:db8:${(999_999).toString(16)}::/64`)).toBe(2);
});

function heapMb(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc()');
  return process.memoryUsage().heapUsed / 2 ** 20;
}
