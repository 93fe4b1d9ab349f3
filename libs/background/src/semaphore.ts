import { ServiceError } from '@esd/service/errors';
import PQueue from 'p-queue';

/** Bounds how many pieces of work run at once; the others wait, first come first served. For fairness between clients: `fairQueue`. */
export interface Semaphore {
  /**
   * Does the work when a slot is free. Throws UNAVAILABLE when too many wait already, and the reason of the signal when it
   * aborts while the work waits; work that has begun keeps its slot until it ends.
   */
  run<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result>;
}

export interface SemaphoreOptions {
  /** What waits, in the plural, for messages: "passwords". */
  name: string;
  concurrency: number;
  maxWaiting: number;
}

export function semaphore({ name, concurrency, maxWaiting }: SemaphoreOptions): Semaphore {
  const queue = new PQueue({ concurrency });
  return {
    run: async (work, signal) => {
      signal.throwIfAborted();
      if (queue.pending >= concurrency && queue.size >= maxWaiting) {
        throw new ServiceError('UNAVAILABLE', `Too many ${name} are waiting at the moment; try again.`);
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
