import { Writable } from 'node:stream';
import { afterEach, expect, jest, test } from '@jest/globals';
import { writeStream } from '../../src/files/write-stream.ts';

afterEach(() => {
  jest.useRealTimers();
});

test('a client that reads nothing for 30 s is disconnected', async () => {
  jest.useFakeTimers();
  const stuck = new Writable({ highWaterMark: 1, write: () => undefined });
  const one = async function* () {
    yield await Promise.resolve(Buffer.from('{}'));
  };
  const written = writeStream(one(), stuck, new AbortController().signal);
  const outcome = expect(written).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  let settled = false;
  written.catch(() => (settled = true));
  await jest.advanceTimersByTimeAsync(29_000);
  expect(settled).toBe(false);
  await jest.advanceTimersByTimeAsync(1_100);
  await outcome;
  expect(stuck.writableEnded).toBe(false);
});
