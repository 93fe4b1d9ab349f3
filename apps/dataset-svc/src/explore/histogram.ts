import type { Filter } from '@esd/record/filter/filter';
import type { Feature, FeatureKeys } from '@esd/record/filter/filter-keys';
import { inSlices } from '../read-index/columns/take-turns.ts';
import type { Reading } from '../read-index/read-index.ts';
import { binsOf } from './bins.ts';
import { featureFigures } from './feature-figures.ts';
import { matchingRows } from './matching-rows.ts';

export interface HistogramQuestion {
  feature: FeatureKeys;
  bins: number;
  isLog: boolean;
  /** Absent: that of the values. */
  min?: number | undefined;
  max?: number | undefined;
}

/** How many records have a value in each bin; counts, missing and all that is beside the bins add up to the total. */
export interface Histogram {
  feature: Feature;
  unit: string;
  scale: 'linear' | 'log';
  total: number;
  edges: readonly number[];
  counts: number[];
  missing: number;
  notConvertible: number;
  below: number;
  above: number;
  nonPositive: number;
}

const STEP = 65_536;

/** The histogram of a feature; its own range in the filter does not narrow it. */
export async function histogram(
  reading: Reading,
  filter: Filter,
  { feature: { feature, unit }, bins: wanted, isLog, min, max }: HistogramQuestion,
): Promise<Histogram> {
  const rows = await matchingRows(
    reading,
    filter.filter(({ key }) => key !== feature),
  );
  const { values, missing, notConvertible } = await featureFigures(rows, feature);
  const takeTurns = inSlices();
  let [smallest, largest] = [Infinity, -Infinity];
  let nonPositive = 0;
  for (let start = 0; start < values.length; start += STEP) {
    for (const value of values.subarray(start, start + STEP)) {
      if (isLog && value <= 0) {
        nonPositive += 1;
        continue;
      }
      if (value < smallest) smallest = value;
      if (value > largest) largest = value;
    }
    await takeTurns();
  }
  const isEmpty = smallest > largest;
  const bins = isEmpty ? binsOf(1, 0, wanted, isLog) : binsOf(min ?? smallest, max ?? largest, wanted, isLog);
  const counts = new Uint32Array(Math.max(0, bins.edges.length - 1));
  let [below, above] = [0, 0];
  for (let start = 0; start < values.length; start += STEP) {
    for (const value of values.subarray(start, start + STEP)) {
      if (isLog && value <= 0) continue;
      const bin = bins.binOf(value);
      // Without bins all values are beyond the one bound that is given.
      if (bin < 0 && (bins.edges.length > 0 || min !== undefined)) below += 1;
      else if (bin < 0 || bin >= counts.length) above += 1;
      else counts[bin] = (counts[bin] ?? 0) + 1;
    }
    await takeTurns();
  }
  return {
    feature,
    unit,
    scale: isLog ? 'log' : 'linear',
    total: rows.total,
    edges: bins.edges,
    counts: [...counts],
    missing,
    notConvertible,
    below,
    above,
    nonPositive,
  };
}
