import type { DatasetServiceService } from '@esd/proto/esd/dataset/v1/dataset';
import type { Percentiles } from '@esd/record/sheet/assume-units';
import type { CallOptions, RpcClient } from '@esd/service/rpc/rpc-client';

/** Minimum number of published values that show which values are usual. */
const MIN_VALUES = 50;

/**
 * Reads the percentiles of the published values, which dataset-svc computes once per dataset revision. Returns none if it
 * does not respond: the sheet reader works without them.
 */
export async function readPercentiles(
  dataset: Pick<RpcClient<DatasetServiceService>, 'getFeatureRanges'>,
  call: CallOptions,
): Promise<Percentiles> {
  try {
    const { ranges } = await dataset.getFeatureRanges({}, call);
    const known = ranges.filter(({ count }) => count >= MIN_VALUES);
    return Object.fromEntries(known.map(({ feature, p1, p99 }) => [feature, [p1, p99]]));
  } catch {
    return {};
  }
}
