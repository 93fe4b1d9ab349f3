import { failureLog } from '@esd/service/health/failure-log';
import type { Logger } from '@esd/service/health/log';
import { listen } from '@esd/service/database/pg-listen';
import { retryForever } from '@esd/service/retry';
import { Wake } from '@esd/service/wake';
import type { Kysely } from 'kysely';
import { type LockKey, tryLock, unlock } from './advisory-lock.ts';

export interface LeaderLoopOptions<Tables> {
  /** The name for the log: "outbox relay". */
  name: string;
  database: Kysely<Tables>;
  /** The URL for the LISTEN connection. */
  databaseUrl: string;
  /** The replica that holds this lock is the leader. */
  lock: LockKey;
  /** A NOTIFY on this channel starts the next turn. */
  channel: string;
  /** Maximum time between turns without a NOTIFY, and between attempts to become the leader. */
  pollMs: number;
  /**
   * Does the pending work on the connection that holds the lock; returns true if there may be more. An error releases the
   * lock, and this or another replica becomes the leader. The signal aborts when the loop stops.
   */
  turn: (connection: Kysely<Tables>, signal: AbortSignal) => Promise<boolean>;
  log: Logger;
}

export interface LeaderLoop {
  /** Waits for the current turn, then releases the lock. */
  stop(): Promise<void>;
}

/** Runs turns while this replica is the leader, and waits for leadership otherwise. Retries failures with `retryForever`. */
export function leaderLoop<Tables>(options: LeaderLoopOptions<Tables>): LeaderLoop {
  const { name, database, databaseUrl, lock, channel, pollMs, turn, log } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const wake = new Wake();
  const onNotify = (): void => {
    wake.now();
  };
  const stopListening = listen(databaseUrl, channel, onNotify, log);

  // The lock belongs to the session, so the turns run on its connection and end with it.
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
    onFailure: failureLog(log, 'leader loop failed; restarting', { loop: name }),
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
