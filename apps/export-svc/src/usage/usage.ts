import { periodicJob } from '@esd/background/periodic-job';
import type { Logger } from '@esd/service/health/log';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';

type Counter = 'views' | 'downloads';

export interface DayOfUse {
  /** UTC, `2026-11-22`. */
  date: string;
  views: number;
  /** By format. */
  downloads: Record<string, number>;
}

export interface Usage {
  /** `version`: `latest`, an identifier, or undefined for an unknown release, which counts only in the totals. */
  countView(version: string | undefined): void;
  /** Counts a completely sent file. */
  countDownload(version: string, format: string): void;
  /** Returns the counts of this replica and those written by other replicas, at most five seconds old. */
  read(): Promise<Record<Counter, number>>;
  /** Returns the days with uses from one day to another (UTC, `2026-11-22`), oldest first, of one release or all. */
  readDays(days: { from: string; to: string; version: string | undefined }): Promise<DayOfUse[]>;
  /** Writes the remaining counts. */
  stop(): Promise<void>;
}

interface Pending {
  counter: Counter;
  day: string;
  /** Undefined if counted only in the totals. */
  version: string | undefined;
  use: string;
  count: number;
}

const VIEW = 'view';
const FLUSH_MS = 5_000;

/** Counts in memory; writes the sums every five seconds and at the end. `now`: ms since 1970. */
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
  const flushes = periodicJob({ name: 'counter flush', everyMs: FLUSH_MS, firstMs: FLUSH_MS, run: next, log });

  return {
    countView: (version) => {
      count({ counter: 'views', version, use: VIEW });
    },
    countDownload: (version, format) => {
      count({ counter: 'downloads', version, use: format });
    },
    read: async () => {
      // A flush that runs now would make a number decrease.
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
        // A sum of bigint is numeric, which arrives as text.
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
