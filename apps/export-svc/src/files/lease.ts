import { periodicJob } from '@esd/background/periodic-job';
import type { Logger } from '@esd/service/health/log';

export interface LeaseOptions {
  /** What is leased, for the log: "freeze job". */
  name: string;
  /** How often the lease is renewed: several times within its duration, so that a failed renewal does not end it. */
  renewMs: number;
  /** Extends the lease in its table; false when another holder has it. */
  renew: () => Promise<boolean>;
  /** Ends the work for another reason. */
  signal: AbortSignal;
  log: Logger;
}

/**
 * Does work while a lease that was taken is renewed. The signal of the work aborts with that of the options, and when the
 * lease is lost. A renewal that fails does not lose it: nobody else can take it while the database is away, and what the work
 * writes at its end must name the lease.
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
