import { setTimeout as sleep } from 'node:timers/promises';
import { failureLog } from '@esd/service/health/failure-log';
import type { Logger } from '@esd/service/health/log';
import { gauge } from '@esd/service/health/metrics';
import type { JobName } from '@esd/service/names/jobs';
import { withDeadline } from '@esd/service/with-deadline';

export interface RepeatOptions {
  /** The name for the log. */
  name: string;
  /** Time from the end of one run to the start of the next. */
  everyMs: number;
  /** Time until the first run; 0 by default. */
  firstMs?: number;
  /**
   * Runs once. The signal aborts when the job stops and when the run exceeds the interval (at least 10 s). A run that
   * ignores the signal delays the next one. Errors are logged.
   */
  run: (signal: AbortSignal) => Promise<unknown>;
  log: Logger;
}

export interface PeriodicJobOptions extends RepeatOptions {
  name: JobName;
  /** Resolves to 'skipped' if another replica is doing the work. */
  run: (signal: AbortSignal) => Promise<void | 'skipped'>;
}

export interface PeriodicJob {
  /** Aborts the current run and waits for its end. */
  stop(): Promise<void>;
}

const MIN_DEADLINE_MS = 10_000;

const lastSuccess = gauge('esd_job_last_success_timestamp_seconds');
const interval = gauge('esd_job_interval_seconds');

/** Repeats a job until it is stopped (see `repeat`), and measures its successes. */
export function periodicJob({ run, ...options }: PeriodicJobOptions): PeriodicJob {
  const job = options.name;
  interval.set({ job }, options.everyMs / 1000);
  lastSuccess.set({ job }, Date.now() / 1000);
  return repeat({
    ...options,
    run: async (signal) => {
      if ((await run(signal)) !== 'skipped') lastSuccess.set({ job }, Date.now() / 1000);
    },
  });
}

/** Repeats work until it is stopped; runs never overlap. Logs failures as warnings (see `failureLog`). */
export function repeat({ name, everyMs, firstMs = 0, run, log }: RepeatOptions): PeriodicJob {
  const stopping = new AbortController();
  const deadlineMs = Math.max(everyMs, MIN_DEADLINE_MS);
  const report = failureLog(log, 'periodic job failed', { job: name });

  const runOnce = async (): Promise<void> => {
    try {
      await withDeadline(deadlineMs, (late) => run(AbortSignal.any([stopping.signal, late])));
    } catch (err) {
      if (stopping.signal.aborted) return;
      report(err);
    }
  };
  const runForever = async (): Promise<void> => {
    for (let waitMs = firstMs; ; waitMs = everyMs) {
      await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      await runOnce();
    }
  };
  const repeating = runForever();
  return {
    stop: async () => {
      stopping.abort();
      await repeating;
    },
  };
}
