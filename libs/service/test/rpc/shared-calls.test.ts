import { expect, test } from '@jest/globals';
import { SharedCalls } from '../../src/rpc/shared-calls.ts';

/** Calls that never end by themselves, and the signals of those that were started. */
function callsUnderTest() {
  const calls = new SharedCalls<string>();
  const started: AbortSignal[] = [];
  const start = (signal: AbortSignal): Promise<string> => {
    started.push(signal);
    return Promise.withResolvers<string>().promise;
  };
  return {
    started,
    join: (caller: AbortSignal, outdated?: ReturnType<typeof calls.join>) => calls.join('key', caller, start, outdated),
  };
}

test('simultaneous callers share a call, which is canceled when the last of them disconnects', () => {
  const { started, join } = callsUnderTest();
  const [one, other] = [new AbortController(), new AbortController()];
  expect(join(one.signal)).toBe(join(other.signal));
  one.abort();
  expect(started.map(({ aborted }) => aborted)).toEqual([false]);
  other.abort();
  expect(started.map(({ aborted }) => aborted)).toEqual([true]);
});

test('the next caller starts another call after one that was canceled, and instead of an outdated one', () => {
  const { started, join } = callsUnderTest();
  join(AbortSignal.abort());
  expect(started.map(({ aborted }) => aborted)).toEqual([true]);
  const caller = new AbortController().signal;
  const outdated = join(caller);
  const newer = join(caller, outdated);
  expect(newer).not.toBe(outdated);
  expect(join(caller, outdated)).toBe(newer);
  expect(started).toHaveLength(3);
});
