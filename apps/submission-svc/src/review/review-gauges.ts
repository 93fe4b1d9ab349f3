import { gauge, type MeasuredGauges } from '@esd/service/health/metrics';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';

/** The number of records that await review, and the age of the oldest by the clock of the database. */
export function reviewGauges(database: Kysely<Tables>): MeasuredGauges {
  const pending = gauge('esd_records_pending');
  const oldest = gauge('esd_records_pending_oldest_seconds');
  return {
    gauges: ['esd_records_pending', 'esd_records_pending_oldest_seconds'],
    read: async () => {
      const { count, seconds } = await database
        .selectFrom('record')
        .select(({ fn }) => [
          fn.countAll<number>().as('count'),
          sql<number | null>`extract(epoch from clock_timestamp() - min(status_since))::float8`.as('seconds'),
        ])
        .where('status', '=', 'PENDING')
        .executeTakeFirstOrThrow();
      return () => {
        pending.set(count);
        oldest.set(Math.max(0, seconds ?? 0));
      };
    },
  };
}
