import { type Feature, type FeatureKeys, features } from '@esd/record/filter/filter-keys';
import { ServiceError } from '@esd/service/errors';
import { inSlices } from '../read-index/columns/take-turns.ts';
import { featureKeys } from '../read-index/index-row.table.ts';
import { doubleColumn, intColumn, type MatchingRows, mayHaveFeature, type PartColumn } from './matching-rows.ts';

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
  for (const part of parts) {
    if (mayHaveFeature(part, at)) filled = addValues(doubleColumn(part, at), values, filled);
    if (part.hasTail || (part.segment.notConvertible & bit) !== 0) {
      notConvertible += countBit(
        intColumn(part, (rows) => rows.notConvertible),
        bit,
      );
    }
    await takeTurns();
  }
  return { values: values.subarray(0, filled), missing: total - filled - notConvertible, notConvertible };
}

/** Adds the values of a column behind the first `filled` ones; returns how many there are then. */
function addValues({ values: own, places }: PartColumn<Float64Array>, values: Float64Array, filled: number): number {
  let next = filled;
  for (let row = 0, end = places.length; row < end; row += 1) {
    const value = own[places[row] ?? 0] ?? NaN;
    // Where there is no value the next one is written over it.
    values[next] = value;
    if (!Number.isNaN(value)) next += 1;
  }
  return next;
}

/** How many rows have a bit, which none with a value of the feature has. */
function countBit({ values, places }: PartColumn<Int32Array>, bit: number): number {
  let count = 0;
  for (let row = 0, end = places.length; row < end; row += 1)
    if (((values[places[row] ?? 0] ?? 0) & bit) !== 0) count += 1;
  return count;
}

/** A feature with its unit. Throws INVALID_PARAMETER for a name that is none. */
export function requireFeature(name: string): FeatureKeys {
  const found = features.find(({ feature }) => feature === name);
  if (!found) throw new ServiceError('INVALID_PARAMETER', `"${name}" is not a feature.`);
  return found;
}
