import type { Filter } from '@esd/record/filter/filter';
import type { FeatureKeys } from '@esd/record/filter/filter-keys';
import { distributionOf, forEachNumber } from '../read-index/distribution.ts';
import { type IndexAtState, matchingRowsExcept, totalsOf } from '../read-index/matching-rows.ts';
import { type BinnedAxis, binsOfNumbers } from './bins.ts';

export interface HistogramQuestion extends BinnedAxis {
  feature: FeatureKeys;
}

/** Bins a feature, ignoring the filter's condition on it. All counts of the result add up to `total`. */
export async function histogram(
  index: IndexAtState,
  filter: Filter,
  { feature: { feature, unit }, ...axis }: HistogramQuestion,
) {
  const { isLog, min } = axis;
  const rows = await matchingRowsExcept(index, filter, feature);
  const distribution = await distributionOf(index.columns.features[feature], rows);
  const bins = binsOfNumbers(distribution, axis);
  const counts = Array.from({ length: Math.max(0, bins.edges.length - 1) }, () => 0);
  // Without bins, all values are beyond the one given bound.
  const isBelow = bins.edges.length > 0 || min !== undefined;
  const outside = { below: 0, above: 0, nonPositive: 0 };
  forEachNumber(distribution, (value, count) => {
    const bin = bins.binOf(value);
    if (isLog && value <= 0) outside.nonPositive += count;
    else if (bin < 0 && isBelow) outside.below += count;
    else if (bin < 0 || bin >= counts.length) outside.above += count;
    else counts[bin] = (counts[bin] ?? 0) + count;
  });
  const { missing, notConvertible } = distribution;
  const scale = isLog ? ('log' as const) : ('linear' as const);
  const totals = await totalsOf(index, rows);
  return { feature, unit, scale, ...totals, edges: bins.edges, counts, missing, notConvertible, ...outside };
}
