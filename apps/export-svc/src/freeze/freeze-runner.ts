import { isTransient, ServiceError } from '@esd/service/errors';
import type { Logger } from '@esd/service/health/log';
import { Wake } from '@esd/service/wake';
import { endFailed, freeze, type FreezeDependencies } from './freeze.ts';
import { claimJob, type FreezeJob, releaseJob, renewJob, setFailing } from './freeze-job.store.ts';
import { withLease } from '../files/lease.ts';

/** Works on freeze jobs in the background. */
export interface FreezeRunner {
  /** Looks for a job now. */
  wake(): void;
  /** Stops at the next step; another copy, or the next start, goes on from there. */
  stop(): Promise<void>;
}

const LOOK_MS = 2_000;
const RENEW_MS = 8_000;
const AGAIN_SECONDS = 3;
/** So long a store or service that is away is waited for. */
const MAX_MS = 3_600_000;

/**
 * Takes freeze jobs one at a time, under a lease that other copies respect; `newJob` makes it look for one now. What fails because something is away is tried
 * again for an hour; anything else ends the job as FAILED with its reason.
 */
export function startFreezeRunner(dependencies: FreezeDependencies, log: Logger, newJob = new Wake()): FreezeRunner {
  const stopping = new AbortController();
  const running = (async () => {
    while (!stopping.signal.aborted) {
      const leaseId = crypto.randomUUID();
      const job = await claimJob(dependencies.database, leaseId).catch((err: unknown) => {
        log.warn({ err }, 'freeze jobs cannot be looked for');
        return undefined;
      });
      if (job) await work(dependencies, job, leaseId, stopping.signal, log);
      else await newJob.wait(LOOK_MS, stopping.signal);
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
  // Aborts when the lease is lost or the service stops.
  let held = stopping;
  let again = 0;
  try {
    await withLease(lease, async (signal) => {
      held = signal;
      if (job.state === 'FAILING') {
        await endFailed(dependencies, job, leaseId);
        return;
      }
      const started = performance.now();
      await freeze(dependencies, job, leaseId, signal);
      log.info({ ...about, seconds: (performance.now() - started) / 1000 }, 'version frozen');
    });
  } catch (err) {
    if (!held.aborted) {
      again = AGAIN_SECONDS;
      const waits = isTransient(err) && Date.now() - job.created_at.getTime() < MAX_MS;
      log[waits ? 'warn' : 'error']({ ...about, err }, waits ? 'the freeze goes on later' : 'the freeze failed');
      if (!waits && job.state === 'BUILDING') {
        again = 0;
        await setFailing(database, leaseId, reasonOf(err, job)).catch(() => undefined);
      }
    }
  } finally {
    // A lease that cannot be ended now ends by itself.
    await releaseJob(database, leaseId, again).catch(() => undefined);
  }
}

function reasonOf(err: unknown, job: FreezeJob): string {
  if (err instanceof ServiceError && err.code !== 'INTERNAL') return err.message;
  return `Something went wrong inside the service; its log names the case as ${job.id}. Nothing was published; the freeze can be started again.`;
}
