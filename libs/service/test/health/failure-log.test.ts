import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { pino } from 'pino';
import { z } from 'zod';
import { failureLog } from '../../src/health/failure-log.ts';

let lines: Record<string, unknown>[];
const report = (error: Error, details?: object): void => {
  reporter(error, details);
};
let reporter: ReturnType<typeof failureLog>;
beforeEach(() => {
  jest.useFakeTimers();
  lines = [];
  const log = pino(
    { base: null, timestamp: false },
    { write: (line) => lines.push(z.record(z.string(), z.unknown()).parse(JSON.parse(line))) },
  );
  reporter = failureLog(log, 'job failed', { job: 'sweep' });
});
afterEach(() => {
  jest.useRealTimers();
});

const refused = () => Object.assign(new Error('refused', { cause: new Error('by the server') }), { code: 'E1' });

test('a repeated failure is logged in full once, then once a minute with its count and without its stack', () => {
  for (let second = 0; second < 150; second += 1) {
    report(refused(), { eventId: second });
    jest.advanceTimersByTime(1_000);
  }
  const err = { type: 'Error', message: 'refused: by the server', code: 'E1' };
  expect(lines).toEqual([
    {
      level: 40,
      job: 'sweep',
      eventId: 0,
      err: { ...err, stack: expect.stringContaining('failure-log.test') },
      msg: 'job failed',
    },
    { level: 40, job: 'sweep', eventId: 60, error: err, count: 60, msg: 'job failed' },
    { level: 40, job: 'sweep', eventId: 120, error: err, count: 60, msg: 'job failed' },
  ]);
});

test('another failure, and one that has not occurred for 10 minutes, is logged in full', () => {
  report(refused());
  report(new TypeError('refused'));
  jest.advanceTimersByTime(600_000);
  report(refused());
  expect(lines.map(({ err }) => err)).toEqual([
    expect.objectContaining({ type: 'Error', stack: expect.any(String) }),
    expect.objectContaining({ type: 'TypeError', stack: expect.any(String) }),
    expect.objectContaining({ type: 'Error', stack: expect.any(String) }),
  ]);
});

test('the memory of failures is limited, whatever their messages are', () => {
  for (let index = 0; index < 1_000; index += 1) report(new Error(`failure ${index}`));
  expect(lines).toHaveLength(1_000);
  report(new Error('failure 999'));
  expect(lines).toHaveLength(1_000);
  report(new Error('failure 0'));
  expect(lines).toHaveLength(1_001);
});
