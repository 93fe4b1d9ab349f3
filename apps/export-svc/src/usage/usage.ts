import type { Logger } from '@esd/service/log';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';

type Counter = 'views' | 'downloads';

/** Counters of what readers do. */
export interface Usage {
  /** Counts one; written with the next flush. */
  count(counter: Counter): void;
  /** What was counted here and written by others, which is at most five seconds old. */
  read(): Promise<Record<Counter, number>>;
  /** Writes what was counted, for ever if need be no longer than the process has to end. */
  stop(): Promise<void>;
}

const FLUSH_MS = 5_000;

/** Counts in memory and writes the sums every five seconds, and at the end of the process. */
export function openUsage(database: Kysely<Tables>, log: Logger): Usage {
  const pending: Record<Counter, number> = { views: 0, downloads: 0 };
  // Taken from `pending`, not known to be written yet.
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
  const timer = setInterval(() => void next(), FLUSH_MS);

  return {
    count: (counter) => {
      pending[counter] += 1;
    },
    read: async () => {
      // So that a number never goes back: nothing is on its way meanwhile.
      await next();
      const rows = await database.selectFrom('usage_counter').selectAll().execute();
      const written = (name: Counter): number => rows.find((row) => row.name === name)?.value ?? 0;
      return { views: written('views') + pending.views, downloads: written('downloads') + pending.downloads };
    },
    stop: async () => {
      clearInterval(timer);
      await next();
    },
  };
}
