import { ServiceError } from '@esd/service/errors';
import PQueue from 'p-queue';

/** Bounds how many pieces of work run at once; the others wait, first come first served. */
export interface Semaphore {
  /**
   * Does the work when a slot is free. Throws UNAVAILABLE when too many wait already, and the reason of the signal when it
   * aborts while the work waits; work that has begun keeps its slot until it ends.
   */
  run<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result>;
}

export interface SemaphoreOptions {
  concurrency: number;
  maxWaiting: number;
}

export function semaphore({ concurrency, maxWaiting }: SemaphoreOptions): Semaphore {
  const queue = new PQueue({ concurrency });
  return {
    run: async (work, signal) => {
      signal.throwIfAborted();
      if (queue.pending >= concurrency && queue.size >= maxWaiting) {
        throw new ServiceError('UNAVAILABLE', 'Too many passwords are waiting to be checked; try again in a moment.');
      }
      // p-queue would free the slot of work that still runs when its signal aborts.
      const waiting = new AbortController();
      const onAbort = (): void => {
        waiting.abort(signal.reason);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        return await queue.add(
          () => {
            signal.removeEventListener('abort', onAbort);
            return work();
          },
          { signal: waiting.signal },
        );
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    },
  };
}
