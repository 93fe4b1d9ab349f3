import { ServiceError } from '@esd/service/errors';

export interface Semaphore {
  /** Throws UNAVAILABLE if too many calls wait, and the reason of the signal if it aborts before the work begins. */
  run<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result>;
}

export interface SemaphoreOptions {
  concurrency: number;
  maxWaiting: number;
}

export function semaphore({ concurrency, maxWaiting }: SemaphoreOptions): Semaphore {
  const waiting = new Set<() => void>();
  let running = 0;
  const turn = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const start = (): void => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = (): void => {
        waiting.delete(start);
        reject(signal.reason instanceof Error ? signal.reason : new Error('aborted', { cause: signal.reason }));
      };
      waiting.add(start);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  return {
    run: async (work, signal) => {
      signal.throwIfAborted();
      if (running < concurrency) running += 1;
      else {
        if (waiting.size >= maxWaiting) {
          throw new ServiceError('UNAVAILABLE', 'Too many passwords are waiting to be checked; try again in a moment.');
        }
        await turn(signal);
      }
      try {
        return await work();
      } finally {
        const [next] = waiting;
        if (next) {
          waiting.delete(next);
          next();
        } else running -= 1;
      }
    },
  };
}
