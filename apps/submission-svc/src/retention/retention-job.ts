import { tryWithLock } from '@esd/background/advisory-lock';
import { type PeriodicJob, periodicJob } from '@esd/background/periodic-job';
import type { RecordContext } from '../records/context.ts';
import { deleteOldFeedback, eraseOldSubmitters, eraseOrigins, eraseRejected } from './erase-expired.ts';

const FIRST_MS = 60_000;
const EVERY_MS = 3_600_000;
const LOCK = 'esd retention';

export interface RetentionContext extends Pick<RecordContext, 'database' | 'images' | 'log'> {
  /** Retention periods in days; 0 means forever. */
  keep: { rejectedDays: number; submitterDays: number; feedbackDays: number };
}

export function startRetention(context: RetentionContext): PeriodicJob {
  return periodicJob({
    name: 'retention',
    firstMs: FIRST_MS,
    everyMs: EVERY_MS,
    run: () => eraseExpired(context),
    log: context.log,
  });
}

/** Erases expired data, unless another replica is already doing so. */
export async function eraseExpired({ database, images, keep, log }: RetentionContext): Promise<void | 'skipped'> {
  const erasures: [what: string, days: number, erase: (days: number) => Promise<number>][] = [
    ['origins', 1, () => eraseOrigins(database)],
    ['rejected records', keep.rejectedDays, (days) => eraseRejected({ database, images }, days)],
    ['submitters', keep.submitterDays, (days) => eraseOldSubmitters(database, days)],
    ['feedback', keep.feedbackDays, (days) => deleteOldFeedback(database, days)],
  ];
  const done = await tryWithLock(database, LOCK, async () => {
    for (const [what, days, erase] of erasures) {
      if (days === 0) continue;
      try {
        const erased = await erase(days);
        if (erased > 0) log.info({ what, erased }, 'erased after the retention period');
      } catch (err) {
        // media-svc may be down, which does not affect the other erasures.
        log.warn({ err, what }, 'erasure after the retention period failed; retrying in an hour');
      }
    }
    return true;
  });
  return done === undefined ? 'skipped' : undefined;
}
