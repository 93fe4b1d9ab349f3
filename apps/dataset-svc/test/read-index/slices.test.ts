import { expect, test } from '@jest/globals';
import { SharedCalls } from '@esd/service/rpc/shared-calls';
import { sharedWork, stoppable, yieldAfterSlice } from '../../src/read-index/slices.ts';

const SLICE_MS = 5;

/** Returns work of several slices, and the number of times that it began and ended. */
function countedWork() {
  const counts = { begun: 0, ended: 0 };
  const work = async (): Promise<string> => {
    counts.begun += 1;
    for (let slice = 0; slice < 5; slice += 1) {
      for (const until = performance.now() + SLICE_MS; performance.now() < until;);
      await yieldAfterSlice();
    }
    counts.ended += 1;
    return 'result';
  };
  return { counts, work };
}

test('work stops at its next slice when its caller stops', async () => {
  const { counts, work } = countedWork();
  const caller = new AbortController();
  const made = stoppable(caller.signal, work);
  caller.abort(new Error('the caller disconnected'));
  await expect(made).rejects.toThrow();
  expect(counts).toEqual({ begun: 1, ended: 0 });
});

test('shared work runs once for simultaneous callers, and continues when the first of them stops', async () => {
  const { counts, work } = countedWork();
  const running = new SharedCalls<string>();
  const first = new AbortController();
  const callers = [first.signal, new AbortController().signal].map((signal) =>
    stoppable(signal, () => sharedWork(running, 'key', work)),
  );
  first.abort(new Error('the caller disconnected'));
  const [stopped, other] = await Promise.allSettled(callers);
  expect(stopped?.status).toBe('rejected');
  expect(other).toEqual({ status: 'fulfilled', value: 'result' });
  expect(counts).toEqual({ begun: 1, ended: 1 });
  // Later callers begin again: the cache of the result belongs to the work.
  expect(await sharedWork(running, 'key', work)).toBe('result');
  expect(counts.begun).toBe(2);
});

test('shared work stops when the last of its callers stops, and the next caller begins again', async () => {
  const { counts, work } = countedWork();
  const running = new SharedCalls<string>();
  const callers = [new AbortController(), new AbortController()];
  const results = callers.map(({ signal }) => stoppable(signal, () => sharedWork(running, 'key', work)));
  for (const caller of callers) caller.abort(new Error('the caller disconnected'));
  const next = sharedWork(running, 'key', work);
  for (const { status } of await Promise.allSettled(results)) expect(status).toBe('rejected');
  expect([await next, counts]).toEqual(['result', { begun: 2, ended: 1 }]);
});

test('a failure of shared work reaches every caller, and the next one begins again', async () => {
  const running = new SharedCalls<string>();
  const fails = () => sharedWork(running, 'key', () => Promise.reject(new Error('failed')));
  for (const one of await Promise.allSettled([fails(), fails()])) expect(one.status).toBe('rejected');
  expect(await sharedWork(running, 'key', () => Promise.resolve('result'))).toBe('result');
});
