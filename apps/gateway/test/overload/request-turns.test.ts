import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { requestTurns } from '../../src/overload/request-turns.ts';

const FOREVER_MS = 10_000_000;

/** Adds requests to the turns of the event loop. Records their outcomes in order. */
function turnsUnderTest(waitMs = FOREVER_MS) {
  const turns = requestTurns(waitMs);
  const outcomes: string[] = [];
  return {
    turns,
    outcomes,
    add: (name: string, isClosed = () => false) => {
      turns.add({
        start: () => void outcomes.push(`${name} started`),
        refuse: () => void outcomes.push(`${name} refused`),
        isClosed,
      });
    },
  };
}

describe('the turns of requests', () => {
  test('a request without new connections starts immediately', () => {
    const { add, outcomes, turns } = turnsUnderTest();
    expect(turns.isIdle()).toBe(true);
    add('a');
    expect(outcomes).toEqual(['a started']);
  });

  test('while connections arrive, one request starts in every sixth turn, in order of arrival', async () => {
    const { add, outcomes, turns } = turnsUnderTest();
    turns.accepted();
    for (const name of ['a', 'b', 'c']) add(name);
    expect([turns.isIdle(), outcomes]).toEqual([false, []]);
    for (let turn = 1; turn <= 12; turn += 1) {
      await nextTurn();
      expect([turn, outcomes.length]).toEqual([turn, Math.floor(turn / 6)]);
      turns.accepted();
    }
    expect(outcomes).toEqual(['a started', 'b started']);
  });

  test('without further connections, one request starts in each turn', async () => {
    const { add, outcomes, turns } = turnsUnderTest();
    turns.accepted();
    for (const name of ['a', 'b', 'c']) add(name);
    while (!turns.isIdle()) await nextTurn();
    expect(outcomes).toEqual(['a started', 'b started', 'c started']);
  });

  test('refuses the 257th waiting request, and those that have waited too long', async () => {
    const full = turnsUnderTest();
    full.turns.accepted();
    for (let name = 0; name <= 256; name += 1) full.add(String(name));
    expect(full.outcomes).toEqual(['256 refused']);
    const late = turnsUnderTest(-1);
    late.turns.accepted();
    late.add('late');
    while (!late.turns.isIdle()) await nextTurn();
    expect(late.outcomes).toEqual(['late refused']);
  });

  test('skips requests whose connection has closed', async () => {
    const { add, outcomes, turns } = turnsUnderTest();
    turns.accepted();
    add('gone', () => true);
    add('here');
    while (!turns.isIdle()) await nextTurn();
    expect(outcomes).toEqual(['here started']);
  });
});
