import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ClientKey } from '@esd/service/client';
import { fairQueue, type FairQueueOptions } from '@esd/service/fair-queue';

/** For whom work is done: the client whose turn it is, and how to give up. */
export interface Asking {
  client: ClientKey;
  signal: AbortSignal;
}

/** Lets the clients that submit take turns, so that none waits for the large bodies of another. */
export interface Turns {
  /**
   * Does the work on a body. Of large ones only some are held in memory at a time; small ones never wait here.
   * `bytes`: of the body. Throws as a fair queue does, here and below.
   */
  admit<Result>(asking: Asking, bytes: number, work: () => Promise<Result>): Promise<Result>;
  /** Computes in slices of some milliseconds; between two of them others have theirs, and the process answers others. */
  compute<Result>(asking: Asking, steps: Generator<void, Result>): Promise<Result>;
  /** Does what holds a connection to the database: one or two transactions at a time. */
  store<Result>(asking: Asking, work: () => Promise<Result>): Promise<Result>;
}

const LARGE_BYTES = 64 * 1024;
// With what is parsed from it, a body takes some ten times its size.
const LARGE_AT_ONCE = 4;
// Ids are given to one after the other; the second one is sent to the database meanwhile.
const STORED_AT_ONCE = 2;
const MAX_WAITING = 200;
const SLICE_MS = 5;

/** Makes the turns of a process. */
export function takeTurns(): Turns {
  const queue = (name: string, concurrency: number): ReturnType<typeof fairQueue> => {
    const options: FairQueueOptions = { name, concurrency, maxWaiting: MAX_WAITING, retryAfterSeconds: 5 };
    return fairQueue(options);
  };
  const large = queue('large submissions', LARGE_AT_ONCE);
  const computing = queue('submissions', 1);
  const storing = queue('submissions', STORED_AT_ONCE);
  return {
    admit: (asking, bytes, work) => (bytes < LARGE_BYTES ? work() : large.run(asking, work)),
    compute: async (asking, steps) => {
      for (;;) {
        const step = await computing.run(asking, async () => {
          await nextTurn();
          return slice(steps);
        });
        if (step.done) return step.value;
      }
    },
    store: (asking, work) => storing.run(asking, work),
  };
}

function slice<Result>(steps: Generator<void, Result>): IteratorResult<void, Result> {
  const end = performance.now() + SLICE_MS;
  for (;;) {
    const step = steps.next();
    if (step.done === true || performance.now() >= end) return step;
  }
}
