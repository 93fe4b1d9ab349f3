import { clientShares } from '@esd/service/client-shares';
import { fairQueue } from '@esd/background/fair-queue';
import type { CallContext } from '@esd/service/rpc/rpc-server';

/** Does a part of a long answer when the client's turn has come. */
export type TakeTurn = <Result>(part: () => Promise<Result>) => Promise<Result>;

/** Long answers, whole exports and differences, part by part: the clients that read take turns. */
export interface BulkReads {
  /**
   * Makes an answer whose parts each take a turn; between them a reader that takes its time keeps nothing from others.
   * Throws RATE_LIMITED when the client reads as many as one may, UNAVAILABLE when all together do.
   */
  run<Part>(
    call: Pick<CallContext, 'client' | 'signal'>,
    answer: (turn: TakeTurn) => AsyncIterable<Part>,
  ): AsyncIterable<Part>;
}

/** Of the ten connections that a copy has by default: pages and single records have the others. */
const PARTS_AT_ONCE = 4;
/** More than one copy of export-svc streams. */
const MAX_ANSWERS = 512;
const RETRY_SECONDS = 5;

export function openBulkReads(): BulkReads {
  const answers = clientShares({ name: 'exports and differences', max: MAX_ANSWERS, retryAfterSeconds: RETRY_SECONDS });
  const turns = fairQueue({
    name: 'parts of answers',
    concurrency: PARTS_AT_ONCE,
    // Each answer waits for one part at a time, so that one that has begun is never refused.
    maxWaiting: MAX_ANSWERS,
    retryAfterSeconds: RETRY_SECONDS,
  });
  return {
    run: async function* ({ client, signal }, answer) {
      const end = answers.take(client);
      try {
        yield* answer((part) => turns.run({ client, signal }, part));
      } finally {
        end();
      }
    },
  };
}
