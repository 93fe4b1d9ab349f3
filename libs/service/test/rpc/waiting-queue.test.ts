import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { WaitingQueue } from '../../src/rpc/waiting-queue.ts';

const TARGET_MS = 250;
/** More than the 64 requests that may always wait. */
const MANY = Array.from({ length: 65 }, () => 'many');

let queue: WaitingQueue;
let outcomes: string[];

beforeEach(() => {
  jest.useFakeTimers();
  [queue, outcomes] = [new WaitingQueue(TARGET_MS), []];
});
afterEach(() => {
  jest.useRealTimers();
});

const pass = (ms: number): void => jest.advanceTimersByTime(ms);
const add = (...names: string[]): void => {
  for (const name of names) {
    queue.add({ start: () => outcomes.push(`${name} starts`), refuse: () => outcomes.push(`${name} refused`) });
  }
};

test('after a pause of any length, every request that waited starts', () => {
  add(...MANY, ...MANY);
  pass(10_000);
  for (const _ of MANY) {
    queue.startNext();
    pass(5);
  }
  expect(new Set(outcomes)).toEqual(new Set(['many starts']));
});

test('after 500 ms without a wait below the target, the queue is full until 64 requests wait', () => {
  add(...MANY, ...MANY);
  pass(TARGET_MS + 1);
  queue.startNext();
  pass(499);
  queue.startNext();
  expect(queue.isFull).toBe(false);
  pass(1);
  expect(queue.isFull).toBe(true);
  while (queue.size > 65) queue.startNext();
  expect(queue.isFull).toBe(true);
  queue.startNext();
  expect(queue.isFull).toBe(false);
  expect(new Set(outcomes)).toEqual(new Set(['many starts']));
});

test('in an overload, a request that has waited four times the target is refused', () => {
  add('a', 'b', 'c', ...MANY);
  pass(4 * TARGET_MS);
  add(...MANY);
  queue.startNext();
  pass(1);
  queue.startNext();
  pass(500);
  queue.startNext();
  expect(outcomes.slice(0, 4)).toEqual(['a starts', 'b starts', 'c refused', 'many refused']);
  expect(outcomes.at(-1)).toBe('many starts');
});

test('64 requests that wait are no overload', () => {
  add(...MANY.slice(1));
  for (let turn = 1; turn < MANY.length; turn += 1) {
    pass(TARGET_MS + 1);
    queue.startNext();
  }
  expect(new Set(outcomes)).toEqual(new Set(['many starts']));
});

test.each([
  ['one shorter wait', MANY],
  ['an empty queue', []],
])('%s ends the 500 ms', (_, names) => {
  add('a');
  pass(TARGET_MS + 1);
  add(...names);
  queue.startNext();
  for (const _ of names) queue.startNext();
  pass(1_000);
  add('b', ...MANY);
  pass(TARGET_MS + 1);
  queue.startNext();
  expect(outcomes.at(-1)).toBe('b starts');
});

test('a request that no turn reaches is refused in the next check after 500 ms', () => {
  const refusals: number[] = [];
  const waiting = { start: () => undefined, refuse: () => refusals.push(performance.now()) };
  const since = performance.now();
  queue.add(waiting);
  for (let check = 0; check < 4 && refusals.length === 0; check += 1) {
    pass(TARGET_MS + 1);
    queue.refuseIfLate(waiting);
  }
  expect(refusals).toEqual([since + 3 * (TARGET_MS + 1)]);
  expect(queue.size).toBe(0);
});
