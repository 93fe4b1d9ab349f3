import { type PeriodicJob, periodicJob } from '@esd/background/periodic-job';
import type { Logger } from '@esd/service/health/log';
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import { sweepKeys } from './idempotency.store.ts';

const EVERY_MS = 600_000;

/** Deletes expired idempotency keys, which are ignored anyway, now and every ten minutes. */
export function startKeySweep(database: Kysely<Tables>, log: Logger): PeriodicJob {
  return periodicJob({
    name: 'idempotency-keys',
    everyMs: EVERY_MS,
    run: async () => {
      const keys = await sweepKeys(database);
      if (keys > 0) log.debug({ keys }, 'expired idempotency keys removed');
    },
    log,
  });
}
