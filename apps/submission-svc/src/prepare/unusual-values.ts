import type { FeatureValues } from '@esd/record/filter/feature-values';
import { recordFeatures } from '@esd/record/filter/filter-keys';
import type { Feature } from '@esd/record/filter/filter-keys';
import type { RecordWarning } from '@esd/record/validate/problems';

/** The values of a feature in the dataset, in the unit of its filter. */
export interface UsualRange {
  readonly count: number;
  /** The 0.1 percentile. */
  readonly low: number;
  /** The 99.9 percentile. */
  readonly high: number;
}

export type FeatureRanges = ReadonlyMap<Feature, UsualRange>;

/** Minimum number of values that show a usual range. */
const MIN_VALUES = 50;
/** Tolerated ratio to a percentile; a wrong unit changes a value at least tenfold. */
const FACTOR = 2;

/** Features on an interval scale: their zero is a convention, so ratios have no meaning. */
const INTERVAL_SCALE: ReadonlySet<Feature> = new Set(['temp']);

/**
 * Warns of values above twice the 99.9 percentile or below half the 0.1 percentile. Where ratios have no meaning
 * (temperatures, percentiles of zero or below), the tolerance is the distance between the two percentiles.
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
