import type { Feature, FeatureKeys } from '@esd/record/filter/filter-keys';
import { FIRST_NUMBER } from '../read-index/coded-column.ts';
import { countCodes } from '../read-index/distribution.ts';
import { type IndexAtState, selectRows, writeMatching } from '../read-index/matching-rows.ts';

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

export async function plottedRows(index: IndexAtState, rows: Int32Array, x: Axis, y: Axis): Promise<PlottedRows> {
  const onX = await rowsOnAxis(index, rows, x);
  const onBoth = await rowsOnAxis(index, onX.plotted, y);
  return { plotted: onBoth.plotted, excluded: [...onX.excluded, ...onBoth.excluded] };
}

async function rowsOnAxis(
  { columns }: IndexAtState,
  rows: Int32Array,
  { feature: { feature }, isLog, min = -Infinity, max = Infinity }: Axis,
): Promise<PlottedRows> {
  const { codes, codeEnd, values } = columns.features[feature];
  const counts = await countCodes({ codes, codeEnd }, rows);
  const matches = new Uint8Array(codeEnd);
  const [missing = 0, notConvertible = 0] = counts;
  const excluded = { missing, notConvertible, nonPositive: 0, outside: 0 };
  for (let code = FIRST_NUMBER; code < codeEnd; code += 1) {
    const value = values[code] ?? NaN;
    if (isLog && value <= 0) excluded.nonPositive += counts[code] ?? 0;
    else if (value < min || value > max) excluded.outside += counts[code] ?? 0;
    else matches[code] = 1;
  }
  return {
    plotted: await selectRows(rows, (slots, target) => writeMatching({ codes, matches }, slots, target)),
    excluded: Object.entries(excluded)
      .filter(([, count]) => count > 0)
      .map(([reason, count]) => ({ reason, feature, count })),
  };
}
