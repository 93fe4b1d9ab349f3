import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import pino from 'pino';
import { watchReadiness } from '../../src/health/readiness.ts';

const log = pino({ level: 'silent' });
beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

test('a dependency is checked four times a second while down, and every second while up', async () => {
  let isUp = false;
  let checks = 0;
  const changes: boolean[] = [];
  const check = (): Promise<void> => {
    checks += 1;
    return isUp ? Promise.resolve() : Promise.reject(new Error('away'));
  };
  const during = async (ms: number): Promise<number> => {
    const before = checks;
    await jest.advanceTimersByTimeAsync(ms);
    return checks - before;
  };
  const readiness = watchReadiness([{ name: 'store', check, needed: true }], log, (ready) => changes.push(ready));
  expect(await during(2_000)).toBe(8);
  expect(readiness.current()).toMatchObject({ ready: false, dependencies: { store: 'down' } });
  isUp = true;
  await during(250);
  expect(readiness.current()).toMatchObject({ ready: true, dependencies: { store: 'up' } });
  expect(await during(5_000)).toBe(5);
  isUp = false;
  expect(await during(2_000)).toBe(5);
  expect(changes).toEqual([false, true, false]);
  readiness.stop();
});

test('the log names each cause of a dependency that is not up after the start, once', async () => {
  const lines: string[] = [];
  const lineLog = pino({ level: 'info' }, { write: (line: string) => lines.push(line) });
  let cause = 'refused the connection';
  const check = () => Promise.reject(new Error(cause));
  const readiness = watchReadiness([{ name: 'store', check, needed: false }], lineLog);
  await jest.advanceTimersByTimeAsync(1_000);
  cause = 'refused the region';
  await jest.advanceTimersByTimeAsync(1_000);
  readiness.stop();
  expect(lines).toEqual([
    expect.stringContaining('refused the connection'),
    expect.stringContaining('refused the region'),
  ]);
});
