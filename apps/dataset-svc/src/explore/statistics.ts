import type { Filter } from '@esd/record/filter/filter';
import type { Feature, FeatureKeys } from '@esd/record/filter/filter-keys';
import { inSlices } from '../read-index/columns/take-turns.ts';
import type { Reading } from '../read-index/read-index.ts';
import { featureFigures } from './feature-figures.ts';
import { type MatchingRows, matchingRows } from './matching-rows.ts';
import { quantilesOf } from './quantiles.ts';

/** How the values of a feature are distributed; figures are null without values. */
export interface FeatureStatistics {
  unit: string;
  count: number;
  missing: number;
  notConvertible: number;
  min: number | null;
  q05: number | null;
  q25: number | null;
  median: number | null;
  q75: number | null;
  q95: number | null;
  max: number | null;
  mean: number | null;
  /** Of a sample (n − 1); null for fewer than two values. */
  standardDeviation: number | null;
}

const STEP = 65_536;
/** A power of two, so that dividing by it rounds nothing. */
const LARGE = 2 ** 600;

/** The statistics of features over the records that match. */
export async function statistics(
  reading: Reading,
  filter: Filter,
  features: readonly FeatureKeys[],
): Promise<{ total: number; statistics: Partial<Record<Feature, FeatureStatistics>> }> {
  const rows = await matchingRows(reading, filter);
  const made: Partial<Record<Feature, FeatureStatistics>> = {};
  const values = new Float64Array(rows.total);
  for (const keys of features) made[keys.feature] = await statisticsOf(rows, keys, values);
  return { total: rows.total, statistics: made };
}

async function statisticsOf(
  rows: MatchingRows,
  { feature, unit }: FeatureKeys,
  buffer: Float64Array<ArrayBuffer>,
): Promise<FeatureStatistics> {
  const { values, missing, notConvertible } = await featureFigures(rows, feature, buffer);
  const [min, q05, q25, median, q75, q95, max] = await quantilesOf(values, [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1]);
  const figures = { min, q05, q25, median, q75, q95, max, ...(await moments(values)) };
  return { unit, count: values.length, missing, notConvertible, ...figures };
}

interface Moments {
  mean: number | null;
  standardDeviation: number | null;
}

/**
 * Mean and sample standard deviation: the mean first, then the differences from it, which also correct it. Where a sum is not
 * finite, of the values divided by `scale`.
 */
async function moments(values: Float64Array, scale = 1): Promise<Moments> {
  const count = values.length;
  if (count === 0) return { mean: null, standardDeviation: null };
  const takeTurns = inSlices();
  const factor = 1 / scale;
  let sum = 0;
  for (let start = 0; start < count; start += STEP) {
    sum = addTo(sum, values.subarray(start, start + STEP), factor);
    await takeTurns();
  }
  const near = sum / count;
  const sums = { differences: 0, squares: 0 };
  for (let start = 0; start < count; start += STEP) {
    addDifferences(sums, values.subarray(start, start + STEP), factor, near);
    await takeTurns();
  }
  const { differences, squares } = sums;
  // Numbers near the largest double: their squares are none.
  if (!Number.isFinite(squares) && scale === 1) return moments(values, LARGE);
  const variance = count < 2 ? null : Math.max(0, squares - (differences * differences) / count) / (count - 1);
  return {
    mean: (near + differences / count) * scale,
    standardDeviation: variance === null ? null : Math.sqrt(variance) * scale,
  };
}

function addTo(sum: number, values: Float64Array, factor: number): number {
  let whole = sum;
  for (let at = 0, end = values.length; at < end; at += 1) whole += (values[at] ?? 0) * factor;
  return whole;
}

function addDifferences(
  sums: { differences: number; squares: number },
  values: Float64Array,
  factor: number,
  near: number,
): void {
  let { differences, squares } = sums;
  for (let at = 0, end = values.length; at < end; at += 1) {
    const difference = (values[at] ?? 0) * factor - near;
    differences += difference;
    squares += difference * difference;
  }
  sums.differences = differences;
  sums.squares = squares;
}
