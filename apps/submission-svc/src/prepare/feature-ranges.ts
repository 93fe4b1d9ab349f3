import { randomUUID } from 'node:crypto';
import { type PeriodicJob, periodicJob } from '@esd/background/periodic-job';
import type { DatasetServiceService } from '@esd/proto/esd/dataset/v1/dataset';
import { features } from '@esd/record/filter/filter-keys';
import type { Logger } from '@esd/service/health/log';
import type { RpcClient } from '@esd/service/rpc/rpc-client';
import type { FeatureRanges } from './unusual-values.ts';

// Cheap: dataset-svc returns its last count.
const EVERY_MS = 5_000;

export interface FeatureRangeCache {
  /** Returns the last fetched ranges; empty before the first response. */
  current(): FeatureRanges;
}

export function refreshFeatureRanges(
  client: Pick<RpcClient<DatasetServiceService>, 'getFeatureRanges'>,
  log: Logger,
): FeatureRangeCache & PeriodicJob {
  let current: FeatureRanges = new Map();
  const job = periodicJob({
    name: 'feature-ranges',
    everyMs: EVERY_MS,
    run: async (signal) => {
      const { ranges } = await client.getFeatureRanges({}, { requestId: randomUUID(), signal });
      const byName = new Map(ranges.map((range) => [range.feature, range]));
      current = new Map(
        features.flatMap(({ feature }) => {
          const range = byName.get(feature);
          return range ? [[feature, range] as const] : [];
        }),
      );
    },
    log,
  });
  return { current: () => current, stop: () => job.stop() };
}
