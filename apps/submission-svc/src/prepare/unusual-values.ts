import type { FeatureValues } from '@esd/record/filter/feature-values';
import { recordFeatures } from '@esd/record/filter/filter-keys';
import type { Feature } from '@esd/record/filter/filter-keys';
import type { RecordWarning } from '@esd/record/validate/problems';

/** Where the dataset's values of a feature lie, in the unit of its filter. */
export interface UsualRange {
  /** How many records have a value. */
  readonly count: number;
  /** The 0.1 percentile. */
  readonly low: number;
  /** The 99.9 percentile. */
  readonly high: number;
}

export type FeatureRanges = ReadonlyMap<Feature, UsualRange>;

/** Fewer values say little about what is usual. */
const MIN_VALUES = 50;
/** How many times beyond a percentile a value must lie: the next unit up or down is at least ten times away. */
const FACTOR = 2;

/** Features of an interval scale, whose zero is a convention, so that twice a value means nothing. */
const INTERVAL_SCALE: ReadonlySet<Feature> = new Set(['temp']);

/**
 * Warnings for values far outside what the dataset holds: more than twice the 99.9 percentile or less than half of the
 * 0.1 percentile; where a ratio means nothing (temperatures, and beyond zero), farther from it than both are apart.
 */
export function unusualValues(values: FeatureValues, ranges: FeatureRanges): RecordWarning[] {
  return recordFeatures.flatMap(({ feature, unit, path }): RecordWarning[] => {
    const value = values[feature];
    const range = ranges.get(feature);
    if (value === undefined || range === undefined || range.count < MIN_VALUES) return [];
    const { low, high, count } = range;
    const hasRatio = !INTERVAL_SCALE.has(feature);
    const min = hasRatio && low > 0 ? low / FACTOR : low - (high - low);
    const max = hasRatio && high > 0 ? high * FACTOR : high + (high - low);
    if (value >= min && value <= max) return [];
    const usual = `99.8 % of the ${count} values in the dataset lie between ${short(low)} and ${short(high)} ${unit}`;
    return [{ path, code: 'UNUSUAL_VALUE', message: `The value ${short(value)} ${unit} is unusual: ${usual}.` }];
  });
}

const short = (value: number): string => String(Number(value.toPrecision(4)));
