import { type Feature, type FeatureKeys, features } from '@esd/record/filter/filter-keys';
import { ServiceError } from '@esd/service/errors';
import { inSlices } from '../read-index/columns/take-turns.ts';
import { featureKeys } from '../read-index/index-row.table.ts';
import type { MatchingRows } from './matching-rows.ts';

/** The values of a feature in matching rows, in their order, and how many rows have none. */
export interface FeatureFigures {
  values: Float64Array;
  missing: number;
  /** Rows that have the feature in a form that cannot be converted. */
  notConvertible: number;
}

/** The values of a feature, and what there is instead of them; `values` is where they are put, for who asks for many. */
export async function featureFigures(
  { total, parts }: MatchingRows,
  feature: Feature,
  values = new Float64Array(total),
): Promise<FeatureFigures> {
  const takeTurns = inSlices();
  const at = featureKeys.indexOf(feature);
  const bit = 1 << at;
  let [filled, notConvertible] = [0, 0];
  for (const { rows, tail, places } of parts) {
    const [own, other] = [rows.features[at], tail.features[at]];
    if (!own || !other) throw new Error(`there is no feature ${feature}`);
    for (const place of places) {
      const value = (place < 0 ? other[~place] : own[place]) ?? NaN;
      if (!Number.isNaN(value)) values[filled++] = value;
      else if (((place < 0 ? tail.notConvertible[~place] : rows.notConvertible[place]) ?? 0) & bit) notConvertible += 1;
    }
    await takeTurns();
  }
  return { values: values.subarray(0, filled), missing: total - filled - notConvertible, notConvertible };
}

/** A feature with its unit. Throws INVALID_PARAMETER for a name that is none. */
export function requireFeature(name: string): FeatureKeys {
  const found = features.find(({ feature }) => feature === name);
  if (!found) throw new ServiceError('INVALID_PARAMETER', `"${name}" is not a feature.`);
  return found;
}
