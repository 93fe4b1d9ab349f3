import { ServiceError } from '@esd/service/errors';

export interface WorkQueue {
  /**
   * Does the work when its turn comes. Throws UNAVAILABLE when too many wait already, and the signal's reason when it
   * aborts before the turn.
   */
  run<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result>;
}

/** Bounds how many pieces of work run at once and how many wait, first come first served. */
export function workQueue(atOnce: number, waitingLimit: number): WorkQueue {
  let running = 0;
  const waiting = new Set<() => void>();

  const enter = (signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    if (running < atOnce) {
      running += 1;
      return Promise.resolve();
    }
    if (waiting.size >= waitingLimit) {
      throw new ServiceError('UNAVAILABLE', 'Too many passwords wait to be checked at the moment; try again.');
    }
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        waiting.delete(start);
        reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
      };
      const start = (): void => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      waiting.add(start);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  };

  const leave = (): void => {
    const [next] = waiting;
    if (next) {
      waiting.delete(next);
      next();
    } else {
      running -= 1;
    }
  };

  return {
    run: async (work, signal) => {
      await enter(signal);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
