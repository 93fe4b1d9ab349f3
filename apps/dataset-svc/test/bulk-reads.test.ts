import { setImmediate as nextTick } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import type { ClientKey } from '@esd/service/quota-client';
import { openBulkReads, type TakeTurn } from '../src/bulk-reads.ts';

const HOSTILE = 'address 198.51.100.66';
const HONEST = 'address 192.0.2.7';
const { signal } = new AbortController();

async function drain(answer: AsyncIterable<unknown>): Promise<void> {
  for await (const part of answer) expect(part).toBeUndefined();
}

describe('bulk reads', () => {
  test('of one client do not delay those of another client', async () => {
    const reads = openBulkReads();
    let hostileParts = 0;
    const answer = (parts: number, count: () => void) =>
      async function* (turn: TakeTurn) {
        for (let part = 0; part < parts; part += 1) {
          await turn(async () => {
            await nextTick();
            count();
          });
          yield;
        }
      };
    const read = (client: ClientKey, parts: number, count: () => void) =>
      drain(reads.run({ client, signal }, answer(parts, count)));
    const attack = Array.from({ length: 256 }, () =>
      read(HOSTILE, 20, () => {
        hostileParts += 1;
      }),
    );
    await expect(read(HOSTILE, 1, () => undefined)).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      retryAfterSeconds: 5,
    });
    let honestParts = 0;
    await read(HONEST, 20, () => {
      honestParts += 1;
    });
    expect(honestParts).toBe(20);
    // One of four concurrent parts belongs to the honest client.
    expect(hostileParts).toBeLessThan(120);
    await Promise.all(attack);
    expect(hostileParts).toBe(256 * 20);
  });

  test('with stalled readers do not block others', async () => {
    const reads = openBulkReads();
    const one = async function* (turn: TakeTurn) {
      for (;;) yield await turn(() => Promise.resolve('part'));
    };
    const stalled = Array.from({ length: 200 }, () =>
      reads.run({ client: HOSTILE, signal }, one)[Symbol.asyncIterator](),
    );
    await Promise.all(stalled.map((answer) => answer.next()));
    const honest = reads.run({ client: HONEST, signal }, one)[Symbol.asyncIterator]();
    expect(await honest.next()).toEqual({ done: false, value: 'part' });
    for (const answer of [...stalled, honest]) await answer.return?.();
  });

  test('release their slot when the reader stops early', async () => {
    const reads = openBulkReads();
    const forever = async function* (turn: TakeTurn) {
      for (;;) yield await turn(() => Promise.resolve('part'));
    };
    for (let times = 0; times < 300; times += 1) {
      const answer = reads.run({ client: HOSTILE, signal }, forever)[Symbol.asyncIterator]();
      expect(await answer.next()).toEqual({ done: false, value: 'part' });
      await answer.return?.();
    }
  });
});
