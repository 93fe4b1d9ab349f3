import type { Filter } from '@esd/record/filter/filter';
import { byCode, NO_VALUE } from '../read-index/coded-column.ts';
import { type Columns, STABILITY } from '../read-index/columns.ts';
import { distributionOf, rangeOf } from '../read-index/distribution.ts';
import { matchingRows, type Reading } from '../read-index/matching-rows.ts';
import { inSteps, takeTurns } from '../read-index/take-turns.ts';
import { type Bins, binsOf } from './bins.ts';
import { type Axis, plottedRows } from './plotted-rows.ts';
import { quantilesOf } from './quantiles.ts';

export interface GridAxis extends Axis {
  bins: number;
}

/** Computes the processing window: bins the matching records by two features and describes each cell that has records. */
export async function grid(reading: Reading, filter: Filter, x: GridAxis, y: GridAxis) {
  const rows = await matchingRows(reading, filter);
  const { plotted, excluded } = await plottedRows(reading, rows, x, y);
  const [binsX, binsY] = [await axisBins(reading, plotted, x), await axisBins(reading, plotted, y)];
  const height = Math.max(1, binsY.edges.length - 1);
  const size = Math.max(1, binsX.edges.length - 1) * height;
  const [binX, binY] = [binReader(reading, x, binsX), binReader(reading, y, binsY)];
  const countPapers = paperCounter(reading.columns);
  const cells = [];
  for (const [cell, own] of (await rowsByCell(plotted, (slot) => binX(slot) * height + binY(slot), size)).entries()) {
    if (own.length === 0) continue;
    const diameters = await distributionOf(reading.columns.features.fiberDiameter, own);
    const [q25, median, q75] = quantilesOf(diameters, [0.25, 0.5, 0.75]);
    cells.push({
      i: Math.floor(cell / height),
      j: cell % height,
      count: own.length,
      papers: countPapers(own),
      ...countStability(reading.columns, own),
      fiberDiameter: { count: diameters.count, q25, median, q75 },
    });
    await takeTurns();
  }
  return { x: answered(x, binsX), y: answered(y, binsY), total: rows.length, placed: plotted.length, cells, excluded };
}

async function axisBins(
  reading: Reading,
  plotted: Int32Array,
  { feature, bins, isLog, min, max }: GridAxis,
): Promise<Bins> {
  const range = rangeOf(await distributionOf(reading.columns.features[feature.feature], plotted));
  if (!range) return binsOf(1, 0, bins, isLog);
  return binsOf(min ?? range.min, max ?? range.max, bins, isLog);
}

function binReader(reading: Reading, { feature: { feature } }: GridAxis, { binOf }: Bins): (slot: number) => number {
  const column = reading.columns.features[feature];
  return byCode(column, (code) => binOf(column.values[code] ?? NaN));
}

const answered = ({ feature: { feature, unit }, isLog }: GridAxis, { edges }: Bins) => ({
  feature,
  unit,
  scale: isLog ? ('log' as const) : ('linear' as const),
  edges,
});

/** Groups rows by cell with a counting sort, which is stable. */
async function rowsByCell(rows: Int32Array, cellOf: (slot: number) => number, size: number): Promise<Int32Array[]> {
  const cells = new Int32Array(rows.length);
  const counts = new Int32Array(size);
  let counted = 0;
  await inSteps(rows, (part) => {
    for (let at = 0, end = part.length; at < end; at += 1) {
      const cell = cellOf(part[at] ?? 0);
      cells[counted++] = cell;
      counts[cell] = (counts[cell] ?? 0) + 1;
    }
  });
  let sum = 0;
  const next = counts.map((count) => (sum += count) - count);
  const grouped = new Int32Array(rows.length);
  let moved = 0;
  await inSteps(rows, (part) => {
    for (let at = 0, end = part.length; at < end; at += 1) {
      const cell = cells[moved++] ?? 0;
      const position = next[cell] ?? 0;
      next[cell] = position + 1;
      grouped[position] = part[at] ?? 0;
    }
  });
  // Each position has advanced to the end of its cell.
  return Array.from(next, (to, cell) => grouped.subarray(to - (counts[cell] ?? 0), to));
}

function paperCounter({ terms }: Columns): (rows: Int32Array) => number {
  const { codes, codeEnd } = terms.doi;
  /** By code: the last call that counted it. */
  const countedIn = new Int32Array(codeEnd);
  let call = 0;
  return (rows) => {
    call += 1;
    let papers = 0;
    for (let at = 0, end = rows.length; at < end; at += 1) {
      const code = codes[rows[at] ?? 0] ?? 0;
      if (code === NO_VALUE || countedIn[code] === call) continue;
      countedIn[code] = call;
      papers += 1;
    }
    return papers;
  };
}

function countStability({ stability: { codes } }: Columns, rows: Int32Array): { stable: number; unstable: number } {
  let [stable, unstable] = [0, 0];
  for (let at = 0, end = rows.length; at < end; at += 1) {
    const code = codes[rows[at] ?? 0];
    if (code === STABILITY.yes) stable += 1;
    else if (code === STABILITY.no) unstable += 1;
  }
  return { stable, unstable };
}
