import { type PeriodicJob, periodicJob } from '@esd/background/periodic-job';
import type { VersionServiceService } from '@esd/proto/esd/dataset/v1/versions';
import type { DatasetFacts } from '@esd/record/metadata/dataset-facts';
import type { Logger } from '@esd/service/health/log';
import type { RpcClient } from '@esd/service/rpc/rpc-client';

/** While another release of this service rolls out, one of before may still freeze without facts. */
const EVERY_MS = 60_000;

/** Gives the releases that were frozen before releases had facts of their own those of the dataset. */
export function fillFacts(
  versions: Pick<RpcClient<typeof VersionServiceService>, 'fillFacts'>,
  facts: DatasetFacts,
  log: Logger,
): PeriodicJob {
  return periodicJob({
    name: 'facts of versions',
    everyMs: EVERY_MS,
    run: async (signal) => {
      const request = { factsJson: JSON.stringify(facts) };
      const { versions: filled } = await versions.fillFacts(request, { requestId: crypto.randomUUID(), signal });
      if (filled > 0) log.info({ versions: filled }, 'versions of before have got the facts of the dataset');
    },
    log,
  });
}
