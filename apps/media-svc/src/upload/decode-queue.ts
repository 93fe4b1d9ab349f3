import { ServiceError } from '@esd/service/errors';

export interface DecodeQueue {
  /**
   * Does the work when its turn comes. Throws UNAVAILABLE when too many wait already, and the signal's reason when it
   * aborts before the turn.
   * @param heldBytes what the work keeps in memory; all that runs keeps no more than the budget together.
   */
  run<Result>(heldBytes: number, work: () => Promise<Result>, signal: AbortSignal): Promise<Result>;
}

interface Waiting {
  heldBytes: number;
  start: () => void;
}

/** Bounds how many images are decoded at once, how much memory they hold together, and how many wait, first come first served. */
export function decodeQueue(options: { atOnce: number; heldBytes: number; waiting: number }): DecodeQueue {
  const waiting: Waiting[] = [];
  let running = 0;
  let held = 0;

  const startNext = (): void => {
    for (;;) {
      const [next] = waiting;
      // One that is larger than the whole budget would never start.
      if (!next || running >= options.atOnce || (running > 0 && held + next.heldBytes > options.heldBytes)) return;
      waiting.shift();
      running += 1;
      held += next.heldBytes;
      next.start();
    }
  };

  return {
    run: async (heldBytes, work, signal) => {
      signal.throwIfAborted();
      if (waiting.length >= options.waiting) {
        throw new ServiceError(
          'UNAVAILABLE',
          'Too many images wait to be read at the moment; try again.',
          undefined,
          5,
        );
      }
      await new Promise<void>((resolve, reject) => {
        const onAbort = (): void => {
          waiting.splice(waiting.indexOf(mine), 1);
          startNext();
          reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
        };
        const mine: Waiting = {
          heldBytes,
          start: () => {
            signal.removeEventListener('abort', onAbort);
            resolve();
          },
        };
        signal.addEventListener('abort', onAbort, { once: true });
        waiting.push(mine);
        startNext();
      });
      try {
        return await work();
      } finally {
        running -= 1;
        held -= heldBytes;
        startNext();
      }
    },
  };
}
