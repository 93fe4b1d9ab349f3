import { describe, expect, test } from '@jest/globals';
import { workQueue } from '../src/account/work-queue.ts';
import { codeOf } from './identity-service.ts';

const never = new AbortController().signal;

/** Work that ends when it is told to. */
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

describe('a work queue for one at once and two waiting', () => {
  const pieces = () => ({ queue: workQueue(1, 2), first: work(), second: work(), third: work() });

  test('works in order, one at once', async () => {
    const { queue, first, second, third } = pieces();
    const runs = [first, second, third].map((piece) => queue.run(piece.run, never));
    await Promise.resolve();
    expect([first, second, third].map((piece) => piece.started())).toEqual([true, false, false]);
    first.end();
    await runs[0];
    expect([second, third].map((piece) => piece.started())).toEqual([true, false]);
    second.end();
    third.end();
    await Promise.all(runs);
    expect(third.started()).toBe(true);
  });

  test('refuses the fourth, and takes it when there is room again', async () => {
    const { queue, first, second, third } = pieces();
    const runs = [first, second, third].map((piece) => queue.run(piece.run, never));
    await expect(codeOf(queue.run(work().run, never))).resolves.toBe('UNAVAILABLE');
    for (const piece of [first, second, third]) piece.end();
    await Promise.all(runs);
    await expect(queue.run(() => Promise.resolve('done'), never)).resolves.toBe('done');
  });

  test('lets go of who has left before the turn, and makes room', async () => {
    const { queue, first, second, third } = pieces();
    const gone = new AbortController();
    const running = queue.run(first.run, never);
    const left = queue.run(second.run, gone.signal);
    gone.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    await expect(queue.run(second.run, gone.signal)).rejects.toThrow('gone');
    const stayed = [third, work()].map((piece) => {
      piece.end();
      return queue.run(piece.run, never);
    });
    first.end();
    await Promise.all([running, ...stayed]);
    expect(second.started()).toBe(false);
  });

  test('goes on after work that failed', async () => {
    const { queue } = pieces();
    await expect(queue.run(() => Promise.reject(new Error('failed')), never)).rejects.toThrow('failed');
    await expect(queue.run(() => Promise.resolve('done'), never)).resolves.toBe('done');
  });
});
