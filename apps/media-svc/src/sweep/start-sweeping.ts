import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@esd/service/log';
import { sweep, type SweepParts, type SweepReport } from './sweep.ts';

const FIRST_MS = 60_000;
const EVERY_MS = 3_600_000;

/** Sweeps a minute from now and then each hour; what was removed is logged. Returns how to stop it. */
export function startSweeping(parts: SweepParts, log: Logger): () => Promise<void> {
  const stopping = new AbortController();
  const running = (async () => {
    for (let waitMs = FIRST_MS; ; waitMs = EVERY_MS) {
      await sleep(waitMs, undefined, { signal: stopping.signal });
      try {
        const report = await sweep(parts);
        if (report) logReport(report, log);
      } catch (err) {
        log.warn({ err }, 'a sweep did not end; the next one goes on');
      }
    }
  })().catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
  });
  return async () => {
    stopping.abort();
    await running;
  };
}

function logReport(report: SweepReport, log: Logger): void {
  const { missing, ...done } = report;
  if (Object.values(done).some((list) => list.length > 0)) log.info(done, 'swept');
  if (missing.length > 0) log.error({ missing }, 'the store lacks objects that images need');
}
