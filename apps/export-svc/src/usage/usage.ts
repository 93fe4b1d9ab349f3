import { periodicJob } from '@esd/background/periodic-job';
import type { Logger } from '@esd/service/health/log';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';

type Counter = 'views' | 'downloads';

/** Counts views and downloads. */
export interface Usage {
  /** Counts one; written with the next flush. */
  count(counter: Counter): void;
  /** What was counted here, and what the other copies have written, which is at most five seconds old. */
  read(): Promise<Record<Counter, number>>;
  /** Writes what was counted. */
  stop(): Promise<void>;
}

const FLUSH_MS = 5_000;

/** Counts in memory and writes the sums every five seconds, and at the end of the process. */
export function openUsage(database: Kysely<Tables>, log: Logger): Usage {
  const pending: Record<Counter, number> = { views: 0, downloads: 0 };
  // Taken from `pending` and not known to be written yet.
  const writing: Record<Counter, number> = { views: 0, downloads: 0 };
  let flushing: Promise<void> = Promise.resolve();

  const flush = async (): Promise<void> => {
    for (const name of ['views', 'downloads'] as const) {
      if (pending[name] === 0) continue;
      writing[name] = pending[name];
      pending[name] = 0;
      try {
        await database
          .updateTable('usage_counter')
          .set({ value: sql`value + ${writing[name]}` })
          .where('name', '=', name)
          .execute();
      } catch (err) {
        pending[name] += writing[name];
        log.warn({ err }, 'counters could not be written; they are kept and written later');
      } finally {
        writing[name] = 0;
      }
    }
  };
  const next = (): Promise<void> => (flushing = flushing.then(flush));
  const flushes = periodicJob({ name: 'flush of the counters', everyMs: FLUSH_MS, firstMs: FLUSH_MS, run: next, log });

  return {
    count: (counter) => {
      pending[counter] += 1;
    },
    read: async () => {
      // A flush that runs meanwhile would make a number go back.
      await next();
      const rows = await database.selectFrom('usage_counter').selectAll().execute();
      const written = (name: Counter): number => rows.find((row) => row.name === name)?.value ?? 0;
      return { views: written('views') + pending.views, downloads: written('downloads') + pending.downloads };
    },
    stop: async () => {
      await flushes.stop();
      await next();
    },
  };
}
