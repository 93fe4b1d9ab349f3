import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@esd/service/health/log';

export interface PeriodicJobOptions {
  /** The name for the log: "built-file sweep". */
  name: string;
  /** Time from the end of one run to the start of the next. */
  everyMs: number;
  /** Time until the first run; 0 by default. */
  firstMs?: number;
  /**
   * Runs once. The signal aborts when the job stops and when the run exceeds the interval (at least 10 s). A run that
   * ignores the signal delays the next one. Errors are logged.
   */
  run: (signal: AbortSignal) => Promise<void>;
  log: Logger;
}

export interface PeriodicJob {
  /** Aborts the current run and waits for its end. */
  stop(): Promise<void>;
}

const MIN_DEADLINE_MS = 10_000;
const WARN_EVERY_MS = 60_000;

/** Repeats a job until it is stopped; runs never overlap. Logs failures as warnings, at most one per minute. */
export function periodicJob({ name, everyMs, firstMs = 0, run, log }: PeriodicJobOptions): PeriodicJob {
  const stopping = new AbortController();
  const deadlineMs = Math.max(everyMs, MIN_DEADLINE_MS);
  let warnedAt = -Infinity;

  const runOnce = async (): Promise<void> => {
    try {
      await run(AbortSignal.any([stopping.signal, AbortSignal.timeout(deadlineMs)]));
    } catch (err) {
      if (stopping.signal.aborted) return;
      const warns = performance.now() - warnedAt >= WARN_EVERY_MS;
      if (warns) warnedAt = performance.now();
      log[warns ? 'warn' : 'debug']({ err, job: name }, 'periodic job failed');
    }
  };
  const repeat = async (): Promise<void> => {
    for (let waitMs = firstMs; ; waitMs = everyMs) {
      await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      await runOnce();
    }
  };
  const repeating = repeat();
  return {
    stop: async () => {
      stopping.abort();
      await repeating;
    },
  };
}
