import type { Feature, FeatureKeys } from '@esd/record/filter/filter-keys';
import { features } from '@esd/record/filter/filter-keys';
import { ServiceError } from '@esd/service/errors';
import { LRUCache } from 'lru-cache';
import { distributionOf, rangeOf } from '../read-index/distribution.ts';
import { allRows, type IndexAtState } from '../read-index/matching-rows.ts';
import { quantilesOf } from './quantiles.ts';

export interface FeatureScale {
  /** Logarithmic if all values are positive and span more than a decade. */
  isLog: boolean;
  /** The interquartile range of all public values or their logarithms; 0 without values. */
  spread: number;
}

const MAX_CACHED = 200;
const DECADE = 10;

const cache = new LRUCache<string, FeatureScale>({ max: MAX_CACHED });

/** Returns a feature with its unit. Throws INVALID_PARAMETER for an unknown name. */
export function requireFeature(name: string): FeatureKeys {
  const found = features.find(({ feature }) => feature === name);
  if (!found) throw new ServiceError('INVALID_PARAMETER', `"${name}" is not a feature.`);
  return found;
}

export function numberOrNull(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}

/** Computes the scale of a feature over all public records. Cached by state. */
export async function featureScale(index: IndexAtState, feature: Feature): Promise<FeatureScale> {
  const { datasetId, revision } = index.state;
  const key = `${datasetId} ${revision} ${feature}`;
  const cached = cache.get(key);
  if (cached) return cached;
  const distribution = await distributionOf(index.columns.features[feature], await allRows(index));
  const { min = NaN, max = NaN } = rangeOf(distribution) ?? {};
  const isLog = min > 0 && max / min > DECADE;
  const [low, high] = quantilesOf(distribution, [0.25, 0.75], isLog ? Math.log : undefined);
  const scale = { isLog, spread: low === null || high === null ? 0 : high - low };
  cache.set(key, scale);
  return scale;
}

/** Computes the distance of two values of a feature, in interquartile ranges. */
export function distanceOf({ isLog, spread }: FeatureScale, value: number, wanted: number): number {
  if (value === wanted) return 0;
  if (spread === 0) return 1;
  return Math.abs(isLog ? Math.log(value) - Math.log(wanted) : value - wanted) / spread;
}
