import { setImmediate as nextTurn } from 'node:timers/promises';
import { fairQueue } from '@esd/background/fair-queue';
import type { ClientKey } from '@esd/service/quota-client';

export interface QueuedRequest {
  client: ClientKey;
  signal: AbortSignal;
}

/** Fair queues, in which clients take turns. Each method throws RATE_LIMITED, UNAVAILABLE, or the reason of the signal. */
export interface WorkQueues {
  /** Limits the number of large bodies in memory; small ones do not wait. */
  admit<Result>(request: QueuedRequest, bytes: number, work: () => Promise<Result>): Promise<Result>;
  /** Computes in slices of a few milliseconds; other requests are served between slices. */
  compute<Result>(request: QueuedRequest, steps: Generator<void, Result>): Promise<Result>;
  /** Limits work that stores data to two transactions at a time. */
  store<Result>(request: QueuedRequest, work: () => Promise<Result>): Promise<Result>;
}

const LARGE_BYTES = 64 * 1024;
const SLICE_MS = 5;

export function openWorkQueues(): WorkQueues {
  const large = fairQueue({ queue: 'large-submissions' });
  const computing = fairQueue({ queue: 'submission-checks' });
  const storing = fairQueue({ queue: 'submission-writes' });
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
