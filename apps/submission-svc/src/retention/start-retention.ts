import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@esd/service/log';
import { type Kysely, sql } from 'kysely';
import type { ImageKeeper } from '../images/image-keeper.ts';
import type { Tables } from '../tables.ts';
import { eraseOldFeedback, eraseOldSubmitters, eraseOrigins, eraseRejected } from './erase-old.ts';

const FIRST_MS = 60_000;
const EVERY_MS = 3_600_000;
const LOCK = 'esd retention';

export interface RetentionParts {
  database: Kysely<Tables>;
  images: ImageKeeper;
  /** For how many days what can be erased is kept; 0: for ever. */
  keep: { rejectedDays: number; submitterDays: number; feedbackDays: number };
  log: Logger;
}

/** Erases what has been kept for long enough, a minute from now and then each hour. Returns how to stop it. */
export function startRetention(parts: RetentionParts): () => Promise<void> {
  const stopping = new AbortController();
  const running = (async () => {
    for (let waitMs = FIRST_MS; ; waitMs = EVERY_MS) {
      await sleep(waitMs, undefined, { signal: stopping.signal });
      await eraseAll(parts).catch((err: unknown) => {
        parts.log.warn({ err }, 'what has been kept for long could not be erased; the next hour tries again');
      });
    }
  })().catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
  });
  return async () => {
    stopping.abort();
    await running;
  };
}

/** Erases once what has been kept for long enough; does nothing where another copy of the service is at it. */
export async function eraseAll({ database, images, keep, log }: RetentionParts): Promise<void> {
  const works: [what: string, days: number, work: (days: number) => Promise<number>][] = [
    ['origins', 1, () => eraseOrigins(database)],
    ['rejected records', keep.rejectedDays, (days) => eraseRejected({ database, images }, days)],
    ['submitters', keep.submitterDays, (days) => eraseOldSubmitters(database, days)],
    ['feedback', keep.feedbackDays, (days) => eraseOldFeedback(database, days)],
  ];
  await database.connection().execute(async (connection) => {
    const lock = sql<{ taken: boolean }>`select pg_try_advisory_lock(hashtextextended(${LOCK}, 0)) as taken`;
    const [row] = (await lock.execute(connection)).rows;
    if (!row?.taken) return;
    try {
      for (const [what, days, work] of works) {
        if (days === 0) continue;
        try {
          const erased = await work(days);
          if (erased > 0) log.info({ what, erased }, 'erased what has been kept for long');
        } catch (err) {
          // The others do not wait for it: media-svc may be away.
          log.warn({ err, what }, 'could not be erased; the next hour tries again');
        }
      }
    } finally {
      await sql`select pg_advisory_unlock(hashtextextended(${LOCK}, 0))`.execute(connection);
    }
  });
}
