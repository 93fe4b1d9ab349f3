import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { requestTurns } from '../../src/admission/request-turns.ts';
import { stateTag } from '../../src/http/state-tag.ts';

const FOREVER_MS = 10_000_000;

/** Lets requests take their turns. Records their outcomes in order. */
function turnsUnderTest() {
  const takeTurn = requestTurns(FOREVER_MS);
  const outcomes: string[] = [];
  return {
    outcomes,
    add: (name: string, method = 'GET', headers: Record<string, string> = {}) => {
      const request = Object.assign(new IncomingMessage(new Socket()), { method, headers });
      const record = (outcome: string) => () => void outcomes.push(`${name} ${outcome}`);
      try {
        const turn = takeTurn(request, undefined);
        if (turn) turn.then(record('started'), record('refused'));
        else record('started')();
      } catch {
        record('refused')();
      }
    },
    until: async (count: number) => {
      while (outcomes.length < count) await nextTurn();
    },
  };
}

describe('the turns of requests', () => {
  test('the first request starts immediately, and one in every second turn while others wait, in order of arrival', async () => {
    const { add, outcomes } = turnsUnderTest();
    for (const name of ['a', 'b', 'c']) add(name);
    const started: number[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      started.push(outcomes.length);
      await nextTurn();
    }
    expect(started).toEqual([1, 1, 2, 2, 3, 3]);
    expect(outcomes).toEqual(['a started', 'b started', 'c started']);
    for (let turn = 0; turn < 2; turn += 1) await nextTurn();
    add('d');
    expect(outcomes.at(-1)).toBe('d started');
  });

  test('a revalidation starts before others that wait, but only with a tag of a dataset revision', async () => {
    const { add, outcomes, until } = turnsUnderTest();
    for (const name of ['a', 'b']) add(name);
    add('any tag', 'GET', { 'if-none-match': '*, "x", W/"1.2.3"' });
    add('own tag', 'GET', { 'if-none-match': `"${stateTag({ datasetId: 'd', revision: 7 }, 'page')}"` });
    await until(4);
    expect(outcomes).toEqual(['a started', 'own tag started', 'b started', 'any tag started']);
  });

  test('while more than 64 requests wait, one starts in every eighth turn', async () => {
    const { add, outcomes } = turnsUnderTest();
    for (let name = 0; name < 70; name += 1) add(String(name));
    for (let turn = 0; turn < 16; turn += 1) await nextTurn();
    expect(outcomes).toHaveLength(3);
  });

  test('the 257th waiting request is refused, but not one with a body', async () => {
    const { add, outcomes, until } = turnsUnderTest();
    for (let name = 0; name <= 257; name += 1) add(String(name));
    add('upload', 'POST');
    expect(outcomes).toEqual(['0 started', '257 refused', 'upload started']);
    await until(259);
    add('next');
    await until(260);
    expect(outcomes.at(-1)).toBe('next started');
  });
});
