import { periodicJob } from '@esd/background/periodic-job';
import type { Logger } from '@esd/service/health/log';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';

type Counter = 'views' | 'downloads';

export interface DayOfUse {
  /** The day in UTC: `2026-11-22`. */
  date: string;
  views: number;
  /** The number of downloads by format. */
  downloads: Record<string, number>;
}

export interface Usage {
  /**
   * Counts a view. `version`: `latest` or an identifier; undefined for an unknown release, which only the totals
   * include.
   */
  countView(version: string | undefined): void;
  /** Counts a completely sent file. */
  countDownload(version: string, format: string): void;
  /** Returns the totals. The counts of other replicas are up to five seconds old. */
  read(): Promise<Record<Counter, number>>;
  /** Returns the days with views or downloads from `from` to `to` (UTC), oldest first, for one release or for all. */
  readDays(days: { from: string; to: string; version: string | undefined }): Promise<DayOfUse[]>;
  /** Writes the remaining counts. */
  stop(): Promise<void>;
}

interface Pending {
  counter: Counter;
  day: string;
  /** Undefined if only the totals include it. */
  version: string | undefined;
  use: string;
  count: number;
}

const VIEW = 'view';
const FLUSH_MS = 5_000;

/** Counts in memory, and writes the sums every five seconds and at the stop. `now`: milliseconds since 1970. */
export function openUsage(database: Kysely<Tables>, log: Logger, now: () => number = Date.now): Usage {
  // Bounded by the number of releases and formats.
  let pending = new Map<string, Pending>();
  let flushing: Promise<void> = Promise.resolve();

  const count = (
    added: Omit<Pending, 'day' | 'count'>,
    times = 1,
    day = new Date(now()).toISOString().slice(0, 10),
  ): void => {
    const key = JSON.stringify([day, added.version, added.use]);
    const known = pending.get(key);
    if (known) known.count += times;
    else pending.set(key, { ...added, day, count: times });
  };
  const flush = async (): Promise<void> => {
    if (pending.size === 0) return;
    const writing = [...pending.values()];
    pending = new Map();
    try {
      await database.transaction().execute(async (transaction) => {
        for (const name of ['views', 'downloads'] as const) {
          const total = sumOf(writing, name);
          if (total === 0) continue;
          await transaction
            .updateTable('usage_counter')
            .set({ value: sql`value + ${total}` })
            .where('name', '=', name)
            .execute();
        }
        const rows = writing.flatMap(({ day, version, use, count }) =>
          version === undefined ? [] : [{ day, version, use, count }],
        );
        if (rows.length === 0) return;
        await transaction
          .insertInto('usage_day')
          .values(rows)
          .onConflict((conflict) =>
            conflict.columns(['day', 'version', 'use']).doUpdateSet({ count: sql`usage_day.count + excluded.count` }),
          )
          .execute();
      });
    } catch (err) {
      for (const { count: times, day, ...one } of writing) count(one, times, day);
      log.warn({ err }, 'counter write failed; retrying');
    }
  };
  const next = (): Promise<void> => (flushing = flushing.then(flush));
  const flushes = periodicJob({ name: 'usage-counters', everyMs: FLUSH_MS, firstMs: FLUSH_MS, run: next, log });

  return {
    countView: (version) => {
      count({ counter: 'views', version, use: VIEW });
    },
    countDownload: (version, format) => {
      count({ counter: 'downloads', version, use: format });
    },
    read: async () => {
      // Without this wait, counts of a running flush would be missing, and a total could decrease.
      await next();
      const rows = await database.selectFrom('usage_counter').selectAll().execute();
      const total = (name: Counter): number =>
        (rows.find((row) => row.name === name)?.value ?? 0) + sumOf([...pending.values()], name);
      return { views: total('views'), downloads: total('downloads') };
    },
    readDays: async ({ from, to, version }) => {
      await next();
      let query = database
        .selectFrom('usage_day')
        .select([sql<string>`day::text`.as('date'), 'use'])
        // The sum of a bigint column is numeric, which the driver returns as text.
        .select((on) => sql<number>`sum(${on.ref('count')})::bigint`.as('count'))
        .where('day', '>=', from)
        .where('day', '<=', to)
        .groupBy(['day', 'use'])
        .orderBy('day')
        .orderBy('use');
      if (version !== undefined) query = query.where('version', '=', version);
      const days = new Map<string, DayOfUse>();
      for (const { date, use, count: times } of await query.execute()) {
        const day = days.get(date) ?? { date, views: 0, downloads: {} };
        days.set(date, day);
        if (use === VIEW) day.views = times;
        else day.downloads[use] = times;
      }
      return [...days.values()];
    },
    stop: async () => {
      await flushes.stop();
      await next();
    },
  };
}

function sumOf(counted: readonly Pending[], counter: Counter): number {
  return counted.reduce((sum, one) => sum + (one.counter === counter ? one.count : 0), 0);
}
