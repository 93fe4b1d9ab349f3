import { isTransient, ServiceError } from '@esd/service/errors';
import type { Logger } from '@esd/service/log';
import { Wake } from '@esd/service/wake';
import { endFailed, freeze, type FreezeParts } from './freeze.ts';
import { claimJob, type FreezeJob, releaseJob, renewJob, setFailing } from './freeze-job.store.ts';

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
const LONGEST_MS = 3_600_000;

/**
 * Takes freeze jobs one at a time, under a lease that other copies respect. What fails because something is away is tried
 * again for an hour; anything else ends the job as FAILED with its reason.
 */
export function startFreezeRunner(parts: FreezeParts, log: Logger): FreezeRunner {
  const stopping = new AbortController();
  const wake = new Wake();
  const running = (async () => {
    while (!stopping.signal.aborted) {
      const leaseId = crypto.randomUUID();
      const job = await claimJob(parts.database, leaseId).catch((err: unknown) => {
        log.warn({ err }, 'freeze jobs cannot be looked for');
        return undefined;
      });
      if (job) await work(parts, job, leaseId, stopping.signal, log);
      else await wake.wait(LOOK_MS, stopping.signal);
    }
  })();
  return {
    wake: () => {
      wake.now();
    },
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

async function work(
  parts: FreezeParts,
  job: FreezeJob,
  leaseId: string,
  stopping: AbortSignal,
  log: Logger,
): Promise<void> {
  const { database } = parts;
  const lost = new AbortController();
  const signal = AbortSignal.any([stopping, lost.signal]);
  const renewing = setInterval(() => {
    renewJob(database, leaseId).then(
      (held) => {
        if (!held) lost.abort();
      },
      () => undefined,
    );
  }, RENEW_MS);
  const about = { jobId: job.id, version: job.version_identifier };
  let again = 0;
  try {
    if (job.state === 'FAILING') await endFailed(parts, job, leaseId);
    else {
      const started = performance.now();
      await freeze(parts, job, leaseId, signal);
      log.info({ ...about, seconds: (performance.now() - started) / 1000 }, 'version frozen');
    }
  } catch (err) {
    if (!signal.aborted) {
      again = AGAIN_SECONDS;
      const waits = isTransient(err) && Date.now() - job.created_at.getTime() < LONGEST_MS;
      log[waits ? 'warn' : 'error']({ ...about, err }, waits ? 'the freeze goes on later' : 'the freeze failed');
      if (!waits && job.state === 'BUILDING') {
        again = 0;
        await setFailing(database, leaseId, reasonOf(err, job)).catch(() => undefined);
      }
    }
  } finally {
    clearInterval(renewing);
    // One that cannot be given back comes free when its lease ends.
    await releaseJob(database, leaseId, again).catch(() => undefined);
  }
}

function reasonOf(err: unknown, job: FreezeJob): string {
  if (err instanceof ServiceError && err.code !== 'INTERNAL') return err.message;
  return `Something went wrong inside the service; its log names the case as ${job.id}. Nothing was published; the freeze can be started again.`;
}
