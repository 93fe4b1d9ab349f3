import { type PeriodicJob, periodicJob } from '@esd/background/periodic-job';
import type { Logger } from '@esd/service/health/log';
import { sweep, type SweepDependencies } from './sweep.ts';

const FIRST_MS = 60_000;
const EVERY_MS = 3_600_000;

/** Sweeps a minute from now and then every hour, and logs the changes. */
export function startSweeping(dependencies: SweepDependencies, log: Logger): PeriodicJob {
  return periodicJob({
    name: 'unused-images',
    everyMs: EVERY_MS,
    firstMs: FIRST_MS,
    run: async () => {
      const report = await sweep(dependencies);
      if (!report) return 'skipped';
      const { missing, ...done } = report;
      if (Object.values(done).some((list) => list.length > 0)) log.info(done, 'sweep finished');
      if (missing.length > 0) log.error({ missing }, 'objects of images are missing from the store');
      return undefined;
    },
    log,
  });
}
