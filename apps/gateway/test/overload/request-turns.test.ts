import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { requestTurns } from '../../src/overload/request-turns.ts';

const FOREVER_MS = 10_000_000;

/** Adds requests to the turns of the event loop. Records their outcomes in order. */
function turnsUnderTest() {
  const turns = requestTurns(FOREVER_MS);
  const outcomes: string[] = [];
  return {
    turns,
    outcomes,
    add: (name: string) => {
      turns.add({
        start: () => void outcomes.push(`${name} started`),
        refuse: () => void outcomes.push(`${name} refused`),
      });
    },
    until: async (count: number) => {
      while (outcomes.length < count) await nextTurn();
      return outcomes;
    },
  };
}

describe('the turns of requests', () => {
  test('one request starts in each turn, the first one immediately, in order of arrival', async () => {
    const { add, outcomes } = turnsUnderTest();
    for (const name of ['a', 'b', 'c']) add(name);
    expect(outcomes).toEqual(['a started']);
    for (const started of [2, 3]) {
      await nextTurn();
      expect(outcomes.length).toBe(started);
    }
    expect(outcomes).toEqual(['a started', 'b started', 'c started']);
    await nextTurn();
    add('d');
    expect(outcomes.at(-1)).toBe('d started');
  });

  test('the 257th waiting request is refused', async () => {
    const { add, outcomes, turns, until } = turnsUnderTest();
    for (let name = 0; name <= 257; name += 1) add(String(name));
    expect(outcomes).toEqual(['0 started', '257 refused']);
    expect(turns.isFull()).toBe(true);
    await until(258);
    expect(turns.isFull()).toBe(false);
  });
});
