import { describe, expect, test } from '@jest/globals';
import { semaphore } from '../../src/account/semaphore.ts';

const never = new AbortController().signal;

function work() {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  let started = false;
  return {
    run: () => {
      started = true;
      return promise;
    },
    end: () => {
      resolve(undefined);
    },
    started: () => started,
  };
}

describe('a semaphore with one slot and a queue of two', () => {
  const pieces = () => ({
    slots: semaphore({ concurrency: 1, maxWaiting: 2 }),
    first: work(),
    second: work(),
    third: work(),
  });

  test('runs tasks in order, one at a time', async () => {
    const { slots, first, second, third } = pieces();
    const runs = [first, second, third].map((piece) => slots.run(piece.run, never));
    await Promise.resolve();
    expect([first, second, third].map((piece) => piece.started())).toEqual([true, false, false]);
    first.end();
    second.end();
    await Promise.all(runs.slice(0, 2));
    third.end();
    await Promise.all(runs);
    expect(third.started()).toBe(true);
  });

  test('rejects a fourth task, and accepts tasks again afterwards', async () => {
    const { slots, first, second, third } = pieces();
    const runs = [first, second, third].map((piece) => slots.run(piece.run, never));
    await expect(slots.run(work().run, never)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: 'Too many passwords are waiting to be checked; try again in a moment.',
    });
    for (const piece of [first, second, third]) piece.end();
    await Promise.all(runs);
    await expect(slots.run(() => Promise.resolve('done'), never)).resolves.toBe('done');
  });

  test('removes a waiting task whose signal aborts from the queue', async () => {
    const { slots, first, second, third } = pieces();
    const gone = new AbortController();
    const running = slots.run(first.run, never);
    const left = slots.run(second.run, gone.signal);
    gone.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    await expect(slots.run(second.run, gone.signal)).rejects.toThrow('gone');
    const stayed = [third, work()].map((piece) => {
      piece.end();
      return slots.run(piece.run, never);
    });
    first.end();
    await Promise.all([running, ...stayed]);
    expect(second.started()).toBe(false);
  });

  test('does not free the slot of a running task whose signal aborts', async () => {
    const { slots, first, second } = pieces();
    const gone = new AbortController();
    const running = slots.run(first.run, gone.signal);
    const waiting = slots.run(second.run, never);
    gone.abort(new Error('gone'));
    await new Promise(setImmediate);
    expect(second.started()).toBe(false);
    first.end();
    second.end();
    await expect(Promise.all([running, waiting])).resolves.toEqual([undefined, undefined]);
  });

  test('continues after a failed task', async () => {
    const { slots } = pieces();
    await expect(slots.run(() => Promise.reject(new Error('failed')), never)).rejects.toThrow('failed');
    await expect(slots.run(() => Promise.resolve('done'), never)).resolves.toBe('done');
  });
});
