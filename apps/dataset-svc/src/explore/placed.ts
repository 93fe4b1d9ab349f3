import type { FeatureKeys } from '@esd/record/filter/filter-keys';
import { featureKeys } from '../read-index/index-row.table.ts';
import type { ExcludedCounts } from './excluded.ts';
import { doublesOf, intsOf, type RowsPart } from './matching-rows.ts';

/** One of two features by which records are placed. */
export interface Axis {
  feature: FeatureKeys;
  /** On a log scale only positive values are placed. */
  isLog: boolean;
  /** Values beyond these are not placed. */
  min?: number | undefined;
  max?: number | undefined;
}

/** The values of a part along an axis, and why one of them is not placed; undefined where it is. */
function readAxis(
  part: RowsPart,
  excluded: ExcludedCounts,
  { feature: { feature }, isLog, min = -Infinity, max = Infinity }: Axis,
) {
  const at = featureKeys.indexOf(feature);
  const values = doublesOf(part, at);
  const bits = intsOf(part, (rows) => rows.notConvertible);
  const reasonAt = (row: number) => {
    const value = values(row);
    if (Number.isNaN(value)) return bits(row) & (1 << at) ? 'notConvertible' : 'missing';
    if (isLog && value <= 0) return 'nonPositive';
    return value < min || value > max ? 'outside' : undefined;
  };
  return { values, reasonAt, counts: excluded.of(feature) };
}

/** Tells which rows of a part are placed by two axes; what is not is counted. */
export function placedRows(part: RowsPart, x: Axis, y: Axis, excluded: ExcludedCounts) {
  const axes = [readAxis(part, excluded, x), readAxis(part, excluded, y)] as const;
  const isPlaced = (row: number): boolean => {
    for (const { reasonAt, counts } of axes) {
      const reason = reasonAt(row);
      if (reason === undefined) continue;
      counts[reason] += 1;
      return false;
    }
    return true;
  };
  return { xs: axes[0].values, ys: axes[1].values, isPlaced };
}
