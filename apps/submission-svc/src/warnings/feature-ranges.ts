import type { DatasetServiceService } from '@esd/proto/esd/dataset/v1/dataset';
import { features } from '@esd/record/filter-keys';
import type { FeatureRanges } from '@esd/record/unusual-values';
import type { Logger } from '@esd/service/log';
import { newRequestId } from '@esd/service/request-id';
import type { RpcClient } from '@esd/service/rpc-client';

// dataset-svc answers from what it has counted last.
const EVERY_MS = 5_000;

/** Where the dataset's values lie, kept up to date. */
export interface FeatureRangeCache {
  /** As last seen; empty until dataset-svc has answered once. Nothing ever waits for it. */
  current(): FeatureRanges;
  stop(): void;
}

/** Keeps a copy of the dataset's feature ranges and asks every few seconds for newer ones. */
export function keepFeatureRanges(
  client: Pick<RpcClient<DatasetServiceService>, 'getFeatureRanges'>,
  log: Logger,
): FeatureRangeCache {
  let held: FeatureRanges = new Map();
  const stopping = new AbortController();
  let asking = false;
  const ask = async (): Promise<void> => {
    if (asking) return;
    asking = true;
    try {
      const { ranges } = await client.getFeatureRanges({}, { requestId: newRequestId(), signal: stopping.signal });
      const byName = new Map(ranges.map((range) => [range.feature, range]));
      held = new Map(
        features.flatMap(({ feature }) => {
          const range = byName.get(feature);
          return range ? [[feature, range] as const] : [];
        }),
      );
    } catch (err) {
      log.debug({ err }, 'the ranges of the dataset could not be refreshed');
    } finally {
      asking = false;
    }
  };
  void ask();
  const timer = setInterval(() => void ask(), EVERY_MS);
  return {
    current: () => held,
    stop: () => {
      clearInterval(timer);
      stopping.abort();
    },
  };
}
