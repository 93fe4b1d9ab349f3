import { type PeriodicJob, periodicJob } from '@esd/background/periodic-job';
import type { DatasetServiceService } from '@esd/proto/esd/dataset/v1/dataset';
import { features } from '@esd/record/filter/filter-keys';
import type { Logger } from '@esd/service/health/log';
import { newRequestId } from '@esd/service/http/request-id';
import type { RpcClient } from '@esd/service/rpc/rpc-client';
import type { FeatureRanges } from './unusual-values.ts';

// dataset-svc answers from its last count.
const EVERY_MS = 5_000;

/** Where the values of the dataset's features lie. */
export interface FeatureRangeCache {
  /** As last fetched; empty until dataset-svc has answered once. It never waits. */
  current(): FeatureRanges;
}

/** Fetches the ranges of the dataset's features every few seconds until it is stopped. */
export function refreshFeatureRanges(
  client: Pick<RpcClient<DatasetServiceService>, 'getFeatureRanges'>,
  log: Logger,
): FeatureRangeCache & PeriodicJob {
  let current: FeatureRanges = new Map();
  const job = periodicJob({
    name: 'refresh of the feature ranges',
    everyMs: EVERY_MS,
    run: async (signal) => {
      const { ranges } = await client.getFeatureRanges({}, { requestId: newRequestId(), signal });
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
