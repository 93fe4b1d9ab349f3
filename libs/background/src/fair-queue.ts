import type { ClientKey } from '@esd/service/quota-client';
import { ServiceError } from '@esd/service/errors';
import { counter, gauge, onScrape, startAtZero } from '@esd/service/health/metrics';
import { type QueueName, QUEUES } from '@esd/service/names/queues';

export interface QueuedWork {
  client: ClientKey;
  /** Share of the queue's `maxWeight` that the work takes while it runs, for example bytes of memory; 0 by default. */
  weight?: number;
  /** Removes waiting work from the queue; running work must observe it itself. */
  signal: AbortSignal;
}

export interface FairQueue {
  /**
   * Runs `work` when its turn comes. Throws RATE_LIMITED if the client has used its share of the waiting positions, and UNAVAILABLE
   * if all are taken. Throws the reason of the signal if it aborts before the turn.
   */
  run<Result>(queued: QueuedWork, work: () => Promise<Result>): Promise<Result>;
}

export interface FairQueueOptions {
  queue: QueueName;
  /** The number of its row in QUEUES by default. */
  concurrency?: number;
  /** Maximum number of waiting pieces of work, by default that of its row; one client may have half of them. */
  maxWaiting?: number;
  /** Maximum total weight of running work. A heavier piece of work runs alone. */
  maxWeight?: number;
}

interface Waiting extends Required<Omit<QueuedWork, 'signal'>> {
  start: () => void;
}

const RETRY_SECONDS = 5;

const runningGauge = gauge('esd_queue_running');
const waitingGauge = gauge('esd_queue_waiting');
const rejected = counter('esd_queue_rejected_total');

/**
 * Creates a fair queue: a semaphore that serves waiting clients round-robin. While others wait, a client runs one piece of
 * work at a time; alone, it may use the whole concurrency. The work of one client runs in FIFO order.
 */
export function fairQueue({ queue, maxWeight = Infinity, ...limits }: FairQueueOptions): FairQueue {
  const { work, concurrency, maxWaiting } = { ...QUEUES[queue], ...limits };
  startAtZero('esd_queue_rejected_total', { queue });
  // In the order of service: a client moves to the end when one of its turns begins or ends.
  const waiting = new Map<ClientKey, Waiting[]>();
  const running = new Map<ClientKey, number>();
  let waitingCount = 0;
  let runningCount = 0;
  let weight = 0;

  onScrape(`queue ${queue}`, () => {
    runningGauge.set({ queue }, runningCount);
    waitingGauge.set({ queue }, waitingCount);
  });

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
    while (runningCount < concurrency) {
      const first = next();
      if (!first) return;
      // Lighter work must not overtake heavy work, which would otherwise starve.
      if (runningCount > 0 && weight + first.weight > maxWeight) return;
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
    if (waitingCount >= maxWaiting) {
      rejected.inc({ queue, reason: 'full' });
      throw new ServiceError('UNAVAILABLE', `Too many ${work} are waiting; try again in ${RETRY_SECONDS} s.`, {
        retryAfterSeconds: RETRY_SECONDS,
      });
    }
    if (own.length >= Math.max(1, Math.floor(maxWaiting / 2))) {
      rejected.inc({ queue, reason: 'share' });
      throw new ServiceError(
        'RATE_LIMITED',
        `You already have ${own.length} ${work} waiting; send the next one when one of them is done.`,
        { retryAfterSeconds: RETRY_SECONDS },
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
