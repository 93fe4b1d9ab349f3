import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { periodicJob, type PeriodicJob, type PeriodicJobOptions } from '../src/periodic-job.ts';
import { logLines } from './log-lines.ts';

const jobs: PeriodicJob[] = [];
afterEach(async () => {
  for (const job of jobs.splice(0)) await job.stop();
});

/** Starts a job whose runs end when the test calls `end`. */
function start(options: Partial<PeriodicJobOptions>) {
  const runs: { signal: AbortSignal; end: () => void; fail: () => void }[] = [];
  let begun = Promise.withResolvers<undefined>();
  const { log, lines } = logLines();
  const job = periodicJob({
    name: 'retention',
    everyMs: 1,
    run: (signal) => {
      const ended = Promise.withResolvers<undefined>();
      runs.push({
        signal,
        end: () => {
          ended.resolve(undefined);
        },
        fail: () => {
          ended.reject(new Error('failed'));
        },
      });
      begun.resolve(undefined);
      begun = Promise.withResolvers();
      return ended.promise.then(() => undefined);
    },
    log,
    ...options,
  });
  jobs.push(job);
  const run = async (number: number) => {
    while (runs.length < number) await begun.promise;
    const found = runs[number - 1];
    if (!found) throw new Error('no such run');
    return found;
  };
  return { job, runs, run, lines };
}

test('a job runs immediately, then repeatedly, and never concurrently', async () => {
  const { job, runs, run } = start({});
  const first = await run(1);
  // Waits for many intervals.
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(runs).toHaveLength(1);
  first.end();
  (await run(2)).end();
  (await run(3)).end();
  const stopped = job.stop();
  for (const { end } of runs) end();
  await stopped;
});

test('the first run can have a different delay', async () => {
  const { job, runs } = start({ firstMs: 3_600_000 });
  await nextTurn();
  await job.stop();
  expect(runs).toHaveLength(0);
});

test('stop aborts the current run, waits for its end, and starts no other run', async () => {
  const { job, runs, run } = start({});
  const { signal, end } = await run(1);
  let isStopped = false;
  const stopping = job.stop().then(() => (isStopped = true));
  expect(signal.aborted).toBe(true);
  await nextTurn();
  expect(isStopped).toBe(false);
  end();
  await stopping;
  expect(runs).toHaveLength(1);
});

test('repeated failures cause one warning per minute, and the next run starts', async () => {
  const { job, run, lines } = start({});
  (await run(1)).fail();
  (await run(2)).fail();
  const third = await run(3);
  expect(lines).toEqual(['warn: periodic job failed']);
  const stopped = job.stop();
  third.fail();
  await stopped;
  expect(lines).toHaveLength(1);
});
