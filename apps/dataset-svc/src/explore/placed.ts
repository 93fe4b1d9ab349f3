import type { FeatureKeys } from '@esd/record/filter/filter-keys';
import { featureKeys } from '../read-index/index-row.table.ts';
import type { ExcludedCounts, Reason } from './excluded.ts';
import { doubleColumn, intColumn, type RowsPart } from './matching-rows.ts';

/** One of two features by which records are placed. */
export interface Axis {
  feature: FeatureKeys;
  /** On a log scale only positive values are placed. */
  isLog: boolean;
  /** Values beyond these are not placed. */
  min?: number | undefined;
  max?: number | undefined;
}

/** What is placed along an axis: values from `low` to `high`. */
function readAxis(part: RowsPart, excluded: ExcludedCounts, { feature: { feature }, isLog, min, max }: Axis) {
  const at = featureKeys.indexOf(feature);
  const { values } = doubleColumn(part, at);
  const low = Math.max(min ?? -Infinity, isLog ? Number.MIN_VALUE : -Infinity);
  const high = max ?? Infinity;
  const counts = excluded.of(feature);
  const reasonOf = (value: number, notConvertible: number): Reason | undefined => {
    if (Number.isNaN(value)) return notConvertible & (1 << at) ? 'notConvertible' : 'missing';
    if (isLog && value <= 0) return 'nonPositive';
    return value < low || value > high ? 'outside' : undefined;
  };
  const count = (value: number, notConvertible: number): boolean => {
    const reason = reasonOf(value, notConvertible);
    if (reason === undefined) return false;
    counts[reason] += 1;
    return true;
  };
  return { values, low, high, count };
}

/** Tells which rows of a part are placed by two axes; what is not is counted. */
export function placedRows(part: RowsPart, x: Axis, y: Axis, excluded: ExcludedCounts) {
  const { values: bits, places } = intColumn(part, (rows) => rows.notConvertible);
  const { values: xs, low: lowX, high: highX, count: countX } = readAxis(part, excluded, x);
  const { values: ys, low: lowY, high: highY, count: countY } = readAxis(part, excluded, y);
  const isPlaced = (row: number): boolean => {
    const place = places[row] ?? 0;
    const valueX = xs[place] ?? NaN;
    const valueY = ys[place] ?? NaN;
    if (valueX >= lowX && valueX <= highX && valueY >= lowY && valueY <= highY) return true;
    const notConvertible = bits[place] ?? 0;
    if (!countX(valueX, notConvertible)) countY(valueY, notConvertible);
    return false;
  };
  return {
    xs: (row: number): number => xs[places[row] ?? 0] ?? NaN,
    ys: (row: number): number => ys[places[row] ?? 0] ?? NaN,
    isPlaced,
  };
}
