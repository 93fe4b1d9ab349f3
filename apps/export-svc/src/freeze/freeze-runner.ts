import { isTransient, ServiceError } from '@esd/service/errors';
import type { Logger } from '@esd/service/health/log';
import { Wake } from '@esd/service/wake';
import { endFailed, freeze, type FreezeDependencies } from './freeze.ts';
import { claimJob, type FreezeJob, releaseJob, renewJob, setFailing } from './freeze-job.store.ts';
import { withLease } from '../files/lease.ts';

export interface FreezeRunner {
  wake(): void;
  /** Stops at the next step. Another replica or the next start continues from there. */
  stop(): Promise<void>;
}

const POLL_MS = 2_000;
const RENEW_MS = 8_000;
const RETRY_SECONDS = 3;
/** The maximum time from the start of a job to its last retry. */
const MAX_MS = 3_600_000;

/**
 * Runs freeze jobs one at a time, under a lease. `newJob` starts the search for a job immediately. Retries transient
 * failures for an hour. Any other failure ends the job as FAILED with its reason.
 */
export function startFreezeRunner(dependencies: FreezeDependencies, log: Logger, newJob = new Wake()): FreezeRunner {
  const stopping = new AbortController();
  const running = (async () => {
    while (!stopping.signal.aborted) {
      const leaseId = crypto.randomUUID();
      const job = await claimJob(dependencies.database, leaseId).catch((err: unknown) => {
        log.warn({ err }, 'freeze job lookup failed');
        return undefined;
      });
      if (job) await work(dependencies, job, leaseId, stopping.signal, log);
      else await newJob.wait(POLL_MS, stopping.signal);
    }
  })();
  return {
    wake: () => {
      newJob.now();
    },
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

async function work(
  dependencies: FreezeDependencies,
  job: FreezeJob,
  leaseId: string,
  stopping: AbortSignal,
  log: Logger,
): Promise<void> {
  const { database } = dependencies;
  const lease = {
    name: 'freeze job',
    renewMs: RENEW_MS,
    renew: () => renewJob(database, leaseId),
    signal: stopping,
    log,
  };
  const about = { jobId: job.id, version: job.identifier };
  // Aborts if the lease is lost or the service stops.
  let active = stopping;
  let again = 0;
  try {
    await withLease(lease, async (signal) => {
      active = signal;
      if (job.state === 'FAILING') {
        await endFailed(dependencies, job, leaseId);
        return;
      }
      const started = performance.now();
      await freeze(dependencies, job, leaseId, signal);
      log.info({ ...about, seconds: (performance.now() - started) / 1000 }, 'release frozen');
    });
  } catch (err) {
    if (!active.aborted) {
      again = RETRY_SECONDS;
      const waits = isTransient(err) && Date.now() - job.created_at.getTime() < MAX_MS;
      log[waits ? 'warn' : 'error']({ ...about, err }, waits ? 'freeze postponed' : 'freeze failed');
      if (!waits && job.state === 'BUILDING') {
        again = 0;
        await setFailing(database, leaseId, reasonOf(err, job)).catch(() => undefined);
      }
    }
  } finally {
    // If this fails, the lease expires.
    await releaseJob(database, leaseId, again).catch(() => undefined);
  }
}

function reasonOf(err: unknown, job: FreezeJob): string {
  if (err instanceof ServiceError && err.code !== 'INTERNAL') return err.message;
  return `An internal error occurred (job ${job.id} in the log of the service). No release was published; start the freeze again.`;
}
