import { expect, test } from '@jest/globals';
import { inTurns } from '../src/origin/in-turn.ts';

test('one sender does one thing at a time in order, others beside it, and a failure stops nobody', async () => {
  const inTurn = inTurns();
  const done: string[] = [];
  const first = Promise.withResolvers<void>();
  const all = [
    inTurn('a', async () => {
      await first.promise;
      done.push('a1');
      throw new Error('a1 fails');
    }),
    inTurn('a', () => Promise.resolve(done.push('a2'))),
    inTurn('b', () => Promise.resolve(done.push('b1'))),
  ];
  const settled = Promise.allSettled(all);
  await all[2];
  expect(done).toEqual(['b1']);
  first.resolve();
  expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  expect(done).toEqual(['b1', 'a1', 'a2']);
});

test('20 wait at most, and when they are done as many may again', async () => {
  const inTurn = inTurns();
  for (let round = 0; round < 2; round += 1) {
    const gate = Promise.withResolvers<void>();
    const all = Array.from({ length: 25 }, () => inTurn('a', () => gate.promise));
    const settled = Promise.allSettled(all);
    await expect(all.at(-1)).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 2 });
    gate.resolve();
    expect((await settled).filter(({ status }) => status === 'fulfilled')).toHaveLength(21);
  }
});
