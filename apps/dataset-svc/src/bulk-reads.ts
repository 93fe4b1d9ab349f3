import { ALLOWANCES } from '@esd/api/allowances';
import { clientShares } from '@esd/service/client-shares';
import { fairQueue } from '@esd/background/fair-queue';
import type { CallContext } from '@esd/service/rpc/rpc-server';

export type TakeTurn = <Result>(part: () => Promise<Result>) => Promise<Result>;

/** The queue of bulk reads, which are exports and differences between states. Clients take turns for the parts of their reads. */
export interface BulkReads {
  /**
   * Produces an answer whose parts each wait for a turn, so that a slow reader does not block others between parts.
   * Throws RATE_LIMITED if the client has used up its share of answers, and UNAVAILABLE if all clients together reach the limit.
   */
  run<Part>(
    call: Pick<CallContext, 'client' | 'signal'>,
    answer: (turn: TakeTurn) => AsyncIterable<Part>,
  ): AsyncIterable<Part>;
}

export function openBulkReads(): BulkReads {
  const answers = clientShares({ name: 'exports and differences', max: ALLOWANCES.shares.bulkReads.amount });
  const turns = fairQueue({ queue: 'answer-parts' });
  return {
    run: async function* ({ client, signal }, answer) {
      const end = answers.acquire(client);
      try {
        yield* answer((part) => turns.run({ client, signal }, part));
      } finally {
        end();
      }
    },
  };
}
