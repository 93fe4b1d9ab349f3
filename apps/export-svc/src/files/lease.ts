import { periodicJob } from '@esd/background/periodic-job';
import type { Logger } from '@esd/service/health/log';

export interface LeaseOptions {
  /** For the log: "freeze job". */
  name: string;
  /** Several times within the lease, so that one failed renewal does not end it. */
  renewMs: number;
  /** Returns false when another holder has the lease. */
  renew: () => Promise<boolean>;
  signal: AbortSignal;
  log: Logger;
}

/**
 * Renews a lease while work runs. Aborts the work when the lease is lost, but not when a renewal fails: no one else can
 * take the lease while the database is away, and the final write of the work must name it.
 */
export async function withLease<Result>(
  { name, renewMs, renew, signal, log }: LeaseOptions,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const lost = new AbortController();
  const renewing = periodicJob({
    name: `renewal of the lease on a ${name}`,
    everyMs: renewMs,
    firstMs: renewMs,
    run: async () => {
      if (!(await renew())) lost.abort(new Error(`the lease on a ${name} was lost`));
    },
    log,
  });
  try {
    return await work(AbortSignal.any([signal, lost.signal]));
  } finally {
    await renewing.stop();
  }
}
