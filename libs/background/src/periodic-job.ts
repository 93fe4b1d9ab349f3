import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@esd/service/health/log';

export interface PeriodicJobOptions {
  /** What it does, for the log: "built-file sweep". */
  name: string;
  /** From the end of one run to the start of the next. */
  everyMs: number;
  /** Until the first run; it begins at once unless given. */
  firstMs?: number;
  /**
   * One run. The signal aborts when the job is stopped, and when the run has taken as long as the interval (at least 10 s);
   * a run that ignores it delays the next. What it throws is logged, and the next run tries again.
   */
  run: (signal: AbortSignal) => Promise<void>;
  log: Logger;
}

/** Work that is repeated until it is stopped. */
export interface PeriodicJob {
  /** Starts no further run, and resolves when the current one has ended. */
  stop(): Promise<void>;
}

const MIN_DEADLINE_MS = 10_000;
const WARN_EVERY_MS = 60_000;

/**
 * Repeats a job until it is stopped; runs never overlap. A failed run is a warning in the log; of a job that fails more often
 * than once a minute only one warning a minute.
 */
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
      log[warns ? 'warn' : 'debug']({ err, job: name }, 'a periodic job failed; the next run tries again');
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
