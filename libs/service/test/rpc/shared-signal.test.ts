import { expect, test } from '@jest/globals';
import { SharedSignal } from '../../src/rpc/shared-signal.ts';

test('a shared call is canceled when the last of its requests disconnects', () => {
  const shared = new SharedSignal();
  const [one, other] = [new AbortController(), new AbortController()];
  shared.add(one.signal);
  shared.add(other.signal);
  one.abort();
  expect(shared.signal.aborted).toBe(false);
  other.abort();
  expect(shared.signal.aborted).toBe(true);
});

test('a call whose only request has already disconnected is canceled', () => {
  const shared = new SharedSignal();
  shared.add(AbortSignal.abort());
  expect(shared.signal.aborted).toBe(true);
});
