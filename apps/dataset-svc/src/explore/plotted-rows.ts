import type { Feature, FeatureKeys } from '@esd/record/filter/filter-keys';
import { byCode, NOT_CONVERTIBLE } from '../read-index/coded-column.ts';
import type { Reading } from '../read-index/matching-rows.ts';
import { inSteps } from '../read-index/take-turns.ts';

export interface Axis {
  feature: FeatureKeys;
  isLog: boolean;
  min?: number | undefined;
  max?: number | undefined;
}

export interface Excluded {
  reason: string;
  feature?: Feature;
  count: number;
}

/** The rows with a position on both axes, in their order, and the numbers of excluded rows. */
export interface PlottedRows {
  plotted: Int32Array;
  /** By feature and reason; each row counts once. */
  excluded: Excluded[];
}

const REASONS = ['missing', 'notConvertible', 'nonPositive', 'outside'] as const;
/** The code of a value within the axis. The code of an excluded value is the index of its reason. */
const PLOTTED = REASONS.length;

export async function plottedRows(reading: Reading, rows: Int32Array, x: Axis, y: Axis): Promise<PlottedRows> {
  const [reasonX, reasonY] = [reasonOf(reading, x), reasonOf(reading, y)];
  const plotted = new Int32Array(rows.length);
  const [countsX, countsY] = [new Int32Array(PLOTTED + 1), new Int32Array(PLOTTED + 1)];
  let count = 0;
  await inSteps(rows, (slots) => {
    for (let at = 0, end = slots.length; at < end; at += 1) {
      const slot = slots[at] ?? 0;
      const [onX, onY] = [reasonX(slot), reasonY(slot)];
      plotted[count] = slot;
      if (onX === PLOTTED && onY === PLOTTED) count += 1;
      else if (onX === PLOTTED) countsY[onY] = (countsY[onY] ?? 0) + 1;
      else countsX[onX] = (countsX[onX] ?? 0) + 1;
    }
  });
  const excluded = ({ feature: { feature } }: Axis, counts: Int32Array): Excluded[] =>
    REASONS.map((reason, at) => ({ reason, feature, count: counts[at] ?? 0 })).filter((one) => one.count > 0);
  return { plotted: plotted.subarray(0, count), excluded: [...excluded(x, countsX), ...excluded(y, countsY)] };
}

function reasonOf(reading: Reading, { feature: { feature }, isLog, min, max }: Axis): (slot: number) => number {
  const column = reading.columns.features[feature];
  const [low, high] = [min ?? -Infinity, max ?? Infinity];
  return byCode(column, (code) => {
    const value = column.values[code] ?? NaN;
    if (Number.isNaN(value)) return REASONS.indexOf(code === NOT_CONVERTIBLE ? 'notConvertible' : 'missing');
    if (isLog && value <= 0) return REASONS.indexOf('nonPositive');
    return value < low || value > high ? REASONS.indexOf('outside') : PLOTTED;
  });
}
