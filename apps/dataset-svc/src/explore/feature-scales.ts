import type { FeatureKeys } from '@esd/record/filter/filter-keys';
import { LRUCache } from 'lru-cache';
import { inSlices } from '../read-index/columns/take-turns.ts';
import type { Reading } from '../read-index/read-index.ts';
import { featureFigures } from './feature-figures.ts';
import { matchingRows } from './matching-rows.ts';
import { quantilesOf } from './quantiles.ts';

/** How distances of a feature are measured at a state. */
export interface FeatureScale {
  /** By the logarithm: all values are positive and span more than a decade. */
  isLog: boolean;
  /** The interquartile range of all public values, or of their logarithms; 0 without any. */
  spread: number;
}

const MAX_KEPT = 200;
const DECADE = 10;
const STEP = 65_536;

const kept = new LRUCache<string, FeatureScale>({ max: MAX_KEPT });

/** The scale of a feature over all public records; computed once a revision. */
export async function featureScale(reading: Reading, { feature }: FeatureKeys): Promise<FeatureScale> {
  const { datasetId, revision } = reading.state;
  const key = `${datasetId} ${revision} ${feature}`;
  const known = kept.get(key);
  if (known) return known;
  const { values } = await featureFigures(await matchingRows(reading, []), feature);
  const [min, max] = await quantilesOf(values, [0, 1]);
  const isLog = min !== null && max !== null && min > 0 && max / min > DECADE;
  const [low, high] = await quantilesOf(isLog ? await logarithms(values) : values, [0.25, 0.75]);
  const made = { isLog, spread: low === null || high === null ? 0 : high - low };
  kept.set(key, made);
  return made;
}

/** The part of a distance that two values make. */
export function partOf({ isLog, spread }: FeatureScale, value: number, asked: number): number {
  if (value === asked) return 0;
  if (spread === 0) return 1;
  return Math.abs(isLog ? Math.log(value) - Math.log(asked) : value - asked) / spread;
}

async function logarithms(values: Float64Array): Promise<Float64Array> {
  const takeTurns = inSlices();
  const made = new Float64Array(values.length);
  for (let start = 0; start < values.length; start += STEP) {
    made.set(values.subarray(start, start + STEP).map(Math.log), start);
    await takeTurns();
  }
  return made;
}
