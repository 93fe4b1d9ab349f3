import { repeat } from '@esd/background/periodic-job';
import type { Logger } from '@esd/service/health/log';

export interface LeaseOptions {
  /** The name in the log, for example "freeze job". */
  name: string;
  /** The interval of renewals: several times shorter than the lease, so that one failed renewal does not end it. */
  renewMs: number;
  /** Renews the lease. Returns false if another holder has it. */
  renew: () => Promise<boolean>;
  signal: AbortSignal;
  log: Logger;
}

/**
 * Renews a lease while work runs. Aborts the work if the lease is lost, but not if a renewal fails. No other replica
 * can take the lease while the database is unavailable, and the final write of the work checks the lease.
 */
export async function withLease<Result>(
  { name, renewMs, renew, signal, log }: LeaseOptions,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const lost = new AbortController();
  const renewing = repeat({
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
