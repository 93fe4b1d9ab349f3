import type { Filter } from '@esd/record/filter/filter';
import type { Feature, FeatureKeys } from '@esd/record/filter/filter-keys';
import { inSlices } from '../read-index/columns/take-turns.ts';
import type { Reading } from '../read-index/read-index.ts';
import { type Bins, binsOf } from './bins.ts';
import { featureFigures } from './feature-figures.ts';
import { matchingRowsExcept } from './matching-rows.ts';

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
  const rows = await matchingRowsExcept(reading, filter, feature);
  const { values, missing, notConvertible } = await featureFigures(rows, feature);
  const takeTurns = inSlices();
  const range = { smallest: Infinity, largest: -Infinity, nonPositive: 0 };
  for (let start = 0; start < values.length; start += STEP) {
    widen(range, values.subarray(start, start + STEP), isLog);
    await takeTurns();
  }
  const { smallest, largest, nonPositive } = range;
  const isEmpty = smallest > largest;
  const bins = isEmpty ? binsOf(1, 0, wanted, isLog) : binsOf(min ?? smallest, max ?? largest, wanted, isLog);
  const counts = new Uint32Array(Math.max(0, bins.edges.length - 1));
  // Without bins all values are beyond the one bound that is given.
  const isBelow = bins.edges.length > 0 || min !== undefined;
  const beside = { below: 0, above: 0 };
  for (let start = 0; start < values.length; start += STEP) {
    countBins(values.subarray(start, start + STEP), bins, isLog, isBelow, counts, beside);
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
    ...beside,
    nonPositive,
  };
}

function widen(
  range: { smallest: number; largest: number; nonPositive: number },
  values: Float64Array,
  isLog: boolean,
): void {
  let { smallest, largest, nonPositive } = range;
  for (let at = 0, end = values.length; at < end; at += 1) {
    const value = values[at] ?? 0;
    if (isLog && value <= 0) {
      nonPositive += 1;
      continue;
    }
    if (value < smallest) smallest = value;
    if (value > largest) largest = value;
  }
  range.smallest = smallest;
  range.largest = largest;
  range.nonPositive = nonPositive;
}

/** Counts values by bin; those before all bins are below where `isBelow` says so. */
function countBins(
  values: Float64Array,
  { binOf }: Bins,
  isLog: boolean,
  isBelow: boolean,
  counts: Uint32Array,
  beside: { below: number; above: number },
): void {
  for (let at = 0, end = values.length; at < end; at += 1) {
    const value = values[at] ?? 0;
    if (isLog && value <= 0) continue;
    const bin = binOf(value);
    if (bin < 0 && isBelow) beside.below += 1;
    else if (bin < 0 || bin >= counts.length) beside.above += 1;
    else counts[bin] = (counts[bin] ?? 0) + 1;
  }
}
