import type { Logger } from '@esd/service/health/log';
import { listen } from '@esd/service/database/pg-listen';
import { retryForever } from '@esd/service/retry';
import { Wake } from '@esd/service/wake';
import type { Kysely } from 'kysely';
import { type LockKey, tryLock, unlock } from './advisory-lock.ts';

export interface LeaderLoopOptions<Tables> {
  /** What it does, for the log: "outbox relay". */
  name: string;
  database: Kysely<Tables>;
  /** For the connection that listens. */
  databaseUrl: string;
  /** Of all copies of the service, the one that holds this lock leads. */
  lock: LockKey;
  /** A NOTIFY on this channel starts the next turn. */
  channel: string;
  /** After so long a turn starts without a NOTIFY, and a copy that does not lead asks for the lock again. */
  pollMs: number;
  /**
   * Does what there is to do, on the connection that holds the lock; true when there may be more. What it throws gives the
   * lock up, and this or another copy starts again. The signal aborts when the loop is stopped.
   */
  turn: (connection: Kysely<Tables>, signal: AbortSignal) => Promise<boolean>;
  log: Logger;
}

/** A loop of which one copy of the service runs the turns. */
export interface LeaderLoop {
  /** Starts no further turn, resolves when the current one has ended, and leaves the lead to another copy. */
  stop(): Promise<void>;
}

/**
 * Takes turns as long as this copy of the service is the leader, and waits for the lead otherwise. Failures are tried again
 * for ever, after 0.1 s and then up to 5 s apart.
 */
export function leaderLoop<Tables>(options: LeaderLoopOptions<Tables>): LeaderLoop {
  const { name, database, databaseUrl, lock, channel, pollMs, turn, log } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const wake = new Wake();
  const onNotify = (): void => {
    wake.now();
  };
  const stopListening = listen(databaseUrl, channel, onNotify, log);

  // The lock belongs to the session: the turns run on the connection that holds it, and end with it.
  const lead = (): Promise<void> =>
    database.connection().execute(async (connection) => {
      while (!(await tryLock(connection, lock))) {
        await wake.wait(pollMs, signal);
        if (signal.aborted) return;
      }
      try {
        while (!signal.aborted) {
          if (!(await turn(connection, signal))) await wake.wait(pollMs, signal);
        }
      } finally {
        await unlock(connection, lock);
      }
    });
  const running = retryForever(lead, {
    signal,
    onFailure: (err) => {
      log.warn({ err, loop: name }, 'a leader loop failed and starts again');
    },
  }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return {
    stop: async () => {
      stopping.abort();
      await stopListening();
      await running;
    },
  };
}
