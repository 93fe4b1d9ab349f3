import type { Filter } from '@esd/record/filter/filter';
import { triedFilter } from '@esd/record/metadata/key-labels';
import { byCode } from '../read-index/coded-column.ts';
import { distributionOf } from '../read-index/distribution.ts';
import { type IndexAtState, matchingRows, totalsOf } from '../read-index/matching-rows.ts';
import { yieldAfterSlice } from '../read-index/slices.ts';
import { type Bins, binsOfNumbers } from './bins.ts';
import { countStability, paperCounter } from './count-rows.ts';
import { groupRows } from './group-rows.ts';
import { type Axis, plottedRows } from './plotted-rows.ts';
import { quantilesOf } from './quantiles.ts';
import { readableBins } from './readable-bins.ts';

export interface GridAxis extends Axis {
  bins: number;
  /** Whether the edges are round, or the values themselves; see `readableBins`. */
  readable?: boolean | undefined;
}

export interface GridQuestion {
  x: GridAxis;
  y: GridAxis;
  /** Whether the edges span the tried records, and the cells list them. */
  tried?: boolean | undefined;
}

/**
 * Computes the processing window: bins the matching records by two features and describes each cell that has records. With `tried`,
 * these are the cells of the tried records, which include the matching ones.
 */
export async function grid(index: IndexAtState, filter: Filter, { x, y, tried }: GridQuestion) {
  const { columns } = index;
  const rows = await matchingRows(index, filter);
  const { plotted, excluded } = await plottedRows(index, rows, x, y);
  const triedRows = tried ? await matchingRows(index, triedFilter(filter)) : undefined;
  const triedPlotted = triedRows && (await plottedRows(index, triedRows, x, y)).plotted;
  const shown = triedPlotted ?? plotted;
  const [binsX, binsY] = [await axisBins(index, shown, x), await axisBins(index, shown, y)];
  const height = Math.max(1, binsY.edges.length - 1);
  const size = Math.max(1, binsX.edges.length - 1) * height;
  const [binX, binY] = [binReader(index, x, binsX), binReader(index, y, binsY)];
  const cellOf = (slot: number): number => binX(slot) * height + binY(slot);
  const matching = await groupRows(plotted, cellOf, size);
  const attempted = triedPlotted && (await groupRows(triedPlotted, cellOf, size));
  const countPapers = paperCounter(columns);
  const describe = (slots: Int32Array) => ({
    count: slots.length,
    papers: countPapers(slots),
    ...countStability(columns, slots),
  });
  const cells = [];
  for (const [cell, slots] of matching.entries()) {
    const triedSlots = attempted?.[cell];
    if ((triedSlots ?? slots).length === 0) continue;
    const diameters = await distributionOf(columns.features.fiberDiameter, slots);
    const [q25, median, q75] = quantilesOf(diameters, [0.25, 0.5, 0.75]);
    cells.push({
      i: Math.floor(cell / height),
      j: cell % height,
      ...describe(slots),
      fiberDiameter: { count: diameters.count, q25, median, q75 },
      ...(triedSlots && { tried: describe(triedSlots) }),
    });
    await yieldAfterSlice();
  }
  return {
    x: answered(x, binsX),
    y: answered(y, binsY),
    ...(await totalsOf(index, rows)),
    placed: plotted.length,
    ...(triedRows && { tried: { total: triedRows.length, placed: shown.length } }),
    cells,
    excluded,
  };
}

async function axisBins(
  index: IndexAtState,
  plotted: Int32Array,
  axis: GridAxis,
): Promise<Bins & { eachValue?: boolean }> {
  const numbers = await distributionOf(index.columns.features[axis.feature.feature], plotted);
  return axis.readable ? readableBins(numbers, axis.bins, axis.isLog) : binsOfNumbers(numbers, axis);
}

function binReader(index: IndexAtState, { feature: { feature } }: GridAxis, { binOf }: Bins): (slot: number) => number {
  const column = index.columns.features[feature];
  return byCode(column, (code) => binOf(column.values[code] ?? NaN));
}

const answered = (
  { feature: { feature, unit }, isLog }: GridAxis,
  { edges, eachValue }: Bins & { eachValue?: boolean },
) => ({
  feature,
  unit,
  scale: isLog ? ('log' as const) : ('linear' as const),
  edges,
  ...(eachValue !== undefined && { eachValue }),
});
