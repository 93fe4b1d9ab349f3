import { tryWithLock } from '@esd/background/advisory-lock';
import { type PeriodicJob, periodicJob } from '@esd/background/periodic-job';
import type { Logger } from '@esd/service/health/log';
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import type { SnapshotRows } from './snapshot-rows.ts';

const LOCK = 'esd snapshot rows';
const EVERY_MS = 60_000;

/**
 * Fills in the lists of rows of snapshots that copies of the release before have made, on one copy at a time. A run that was
 * ended goes on with the next one.
 */
export function fillSnapshotRows(
  database: Kysely<Tables>,
  rows: Pick<SnapshotRows, 'fillMissing'>,
  log: Logger,
): PeriodicJob {
  return periodicJob({
    name: 'snapshot rows',
    everyMs: EVERY_MS,
    run: async (signal) => {
      const filled = await tryWithLock(database, LOCK, () => rows.fillMissing(signal));
      if (filled !== undefined && filled > 0) log.info({ snapshots: filled }, 'the rows of snapshots are filled in');
    },
    log,
  });
}
