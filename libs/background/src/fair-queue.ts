import type { ClientKey } from '@esd/service/auth/client';
import { ServiceError } from '@esd/service/errors';

/** A piece of work that waits for its turn. */
export interface QueuedWork {
  client: ClientKey;
  /** What it takes of the queue's `maxWeight` while it runs, for instance bytes of memory; 0 unless given. */
  weight?: number;
  /** Gives up the place while it waits; what runs looks at it by itself. */
  signal: AbortSignal;
}

/** Bounds how much runs at once, and lets the clients that wait take turns. */
export interface FairQueue {
  /**
   * Does the work when its turn comes. Throws RATE_LIMITED when the client has its share of the places already,
   * UNAVAILABLE when all places are taken, and the reason of the signal when it aborts before the turn.
   */
  run<Result>(queued: QueuedWork, work: () => Promise<Result>): Promise<Result>;
}

export interface FairQueueOptions {
  /** What waits, in the plural, for messages: "images". */
  name: string;
  /** How much runs at once, at most. */
  concurrency: number;
  /** How much waits, at most; one client has at most half of the places. */
  maxWaiting: number;
  /** What all that runs may weigh together; a single piece of work that is heavier runs alone. */
  maxWeight?: number;
  /** After how many seconds a refused client may try again. */
  retryAfterSeconds: number;
}

interface Waiting extends Required<Omit<QueuedWork, 'signal'>> {
  start: () => void;
}

/**
 * Makes a fair queue: a semaphore whose waiting clients are served round robin. While others wait, a client runs one
 * piece of work at a time; alone it may use the whole concurrency. Within a client, first come is first served.
 */
export function fairQueue(options: FairQueueOptions): FairQueue {
  // In the order in which the clients are served: one whose turn began or ended goes to the end.
  const waiting = new Map<ClientKey, Waiting[]>();
  const running = new Map<ClientKey, number>();
  let waitingCount = 0;
  let runningCount = 0;
  let weight = 0;

  const next = (): Waiting | undefined => {
    let best: Waiting | undefined;
    let fewest = Infinity;
    for (const [client, [first]] of waiting) {
      const own = running.get(client) ?? 0;
      if (first && own < fewest) {
        best = first;
        fewest = own;
      }
    }
    return best;
  };

  const moveToEnd = (client: ClientKey, own: Waiting[] | undefined): void => {
    waiting.delete(client);
    if (own && own.length > 0) waiting.set(client, own);
  };

  const leave = (mine: Waiting): void => {
    moveToEnd(
      mine.client,
      waiting.get(mine.client)?.filter((one) => one !== mine),
    );
    waitingCount -= 1;
  };

  const startWaiting = (): void => {
    while (runningCount < options.concurrency) {
      const first = next();
      if (!first) return;
      // The heavy one keeps its turn; what is lighter does not overtake it for ever.
      if (runningCount > 0 && weight + first.weight > (options.maxWeight ?? Infinity)) return;
      leave(first);
      runningCount += 1;
      weight += first.weight;
      running.set(first.client, (running.get(first.client) ?? 0) + 1);
      first.start();
    }
  };

  const finish = ({ client, weight: own }: Waiting): void => {
    runningCount -= 1;
    weight -= own;
    const left = (running.get(client) ?? 1) - 1;
    if (left === 0) running.delete(client);
    else running.set(client, left);
    moveToEnd(client, waiting.get(client));
    startWaiting();
  };

  const enter = (mine: Waiting): void => {
    const own = waiting.get(mine.client) ?? [];
    if (waitingCount >= options.maxWaiting) {
      throw new ServiceError(
        'UNAVAILABLE',
        `Too many ${options.name} are waiting at the moment; try again in ${options.retryAfterSeconds} s.`,
        undefined,
        options.retryAfterSeconds,
      );
    }
    if (own.length >= Math.max(1, Math.floor(options.maxWaiting / 2))) {
      throw new ServiceError(
        'RATE_LIMITED',
        `${own.length} ${options.name} of yours are waiting already; send the next when one is done.`,
        undefined,
        options.retryAfterSeconds,
      );
    }
    own.push(mine);
    waiting.set(mine.client, own);
    waitingCount += 1;
  };

  return {
    run: async ({ client, weight: own = 0, signal }, work) => {
      signal.throwIfAborted();
      const mine: Waiting = { client, weight: own, start: () => undefined };
      await new Promise<void>((resolve, reject) => {
        const onAbort = (): void => {
          leave(mine);
          startWaiting();
          reject(signal.reason instanceof Error ? signal.reason : new Error('aborted', { cause: signal.reason }));
        };
        mine.start = () => {
          signal.removeEventListener('abort', onAbort);
          resolve();
        };
        enter(mine);
        signal.addEventListener('abort', onAbort, { once: true });
        startWaiting();
      });
      try {
        return await work();
      } finally {
        finish(mine);
      }
    },
  };
}
