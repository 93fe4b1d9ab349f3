import { ServiceError } from '@esd/service/errors';

const MAX_WAITING = 20;
const RETRY_SECONDS = 2;

/** Does work of one sender at a time. */
export type InTurn = <Result>(sender: string, work: () => Promise<Result>) => Promise<Result>;

/**
 * Makes a mutex per sender, so that what waits for a lock of its sender in the database waits here instead of with one of
 * the connections that all share. Throws RATE_LIMITED where 20 wait already.
 */
export function inTurns(): InTurn {
  const lines = new Map<string, { last: Promise<unknown>; length: number }>();
  return async (sender, work) => {
    const line = lines.get(sender) ?? { last: Promise.resolve(), length: 0 };
    if (line.length > MAX_WAITING) {
      throw new ServiceError(
        'RATE_LIMITED',
        `${MAX_WAITING} requests of you or your network wait to be stored already; send this one again.`,
        undefined,
        RETRY_SECONDS,
      );
    }
    lines.set(sender, line);
    line.length += 1;
    const mine = line.last.then(work);
    line.last = mine.catch(() => undefined);
    try {
      return await mine;
    } finally {
      line.length -= 1;
      if (line.length === 0) lines.delete(sender);
    }
  };
}
