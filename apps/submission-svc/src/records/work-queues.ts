import { setImmediate as nextTurn } from 'node:timers/promises';
import { fairQueue, type FairQueue } from '@esd/background/fair-queue';
import type { ClientKey } from '@esd/service/auth/client';

/** Whose place in a queue a piece of work takes, and the signal that gives it up. */
export interface QueuedRequest {
  client: ClientKey;
  signal: AbortSignal;
}

/**
 * The fair queues of a process: clients are served round robin, so that none waits for the large bodies of another. Each
 * throws as a fair queue does: RATE_LIMITED, UNAVAILABLE, or the reason of the signal.
 */
export interface WorkQueues {
  /**
   * Does the work on a body of so many bytes. Only a few large bodies are in memory at a time; small ones do not wait here.
   */
  admit<Result>(request: QueuedRequest, bytes: number, work: () => Promise<Result>): Promise<Result>;
  /** Computes in slices of some milliseconds; between two slices other requests are served. */
  compute<Result>(request: QueuedRequest, steps: Generator<void, Result>): Promise<Result>;
  /** Does work that holds a connection to the database: one or two transactions at a time. */
  store<Result>(request: QueuedRequest, work: () => Promise<Result>): Promise<Result>;
}

const LARGE_BYTES = 64 * 1024;
// With what is parsed from it, a body takes some ten times its size.
const LARGE_AT_ONCE = 4;
// Transactions take ids one after the other; the second one is sent to the database meanwhile.
const STORED_AT_ONCE = 2;
const MAX_WAITING = 200;
const SLICE_MS = 5;

export function openWorkQueues(): WorkQueues {
  const queue = (name: string, concurrency: number): FairQueue =>
    fairQueue({ name, concurrency, maxWaiting: MAX_WAITING, retryAfterSeconds: 5 });
  const large = queue('large submissions', LARGE_AT_ONCE);
  const computing = queue('submissions', 1);
  const storing = queue('submissions', STORED_AT_ONCE);
  return {
    admit: (request, bytes, work) => (bytes < LARGE_BYTES ? work() : large.run(request, work)),
    compute: async (request, steps) => {
      for (;;) {
        const step = await computing.run(request, async () => {
          await nextTurn();
          return slice(steps);
        });
        if (step.done) return step.value;
      }
    },
    store: (request, work) => storing.run(request, work),
  };
}

function slice<Result>(steps: Generator<void, Result>): IteratorResult<void, Result> {
  const end = performance.now() + SLICE_MS;
  for (;;) {
    const step = steps.next();
    if (step.done === true || performance.now() >= end) return step;
  }
}
