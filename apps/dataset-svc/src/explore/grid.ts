import type { Filter } from '@esd/record/filter/filter';
import type { Feature } from '@esd/record/filter/filter-keys';
import { rangeOf } from '../read-index/columns/figures.ts';
import { STABILITY } from '../read-index/columns/row-columns.ts';
import { inSlices } from '../read-index/columns/take-turns.ts';
import { featureKeys, termKeys } from '../read-index/index-row.table.ts';
import type { Reading } from '../read-index/read-index.ts';
import { type Bins, binsOf } from './bins.ts';
import { type Excluded, ExcludedCounts } from './excluded.ts';
import { doubleColumn, intColumn, matchingRows, type RowsPart } from './matching-rows.ts';
import { type Axis, placedRows } from './placed.ts';
import { quantilesOf } from './quantiles.ts';

export interface GridAxis extends Axis {
  bins: number;
}

/** A cell with records: `i` along x, `j` along y. */
export interface Cell {
  i: number;
  j: number;
  count: number;
  /** Distinct DOIs. */
  papers: number;
  stable: number;
  unstable: number;
  fiberDiameter: { count: number; q25: number | null; median: number | null; q75: number | null };
}

interface AnsweredAxis {
  feature: Feature;
  unit: string;
  scale: 'linear' | 'log';
  edges: readonly number[];
}

export interface Grid {
  x: AnsweredAxis;
  y: AnsweredAxis;
  total: number;
  placed: number;
  cells: Cell[];
  excluded: Excluded[];
}

/** The records that match as far as they were placed, by column. */
interface Placed {
  count: number;
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly doi: Int32Array;
  readonly stability: Uint8Array;
  readonly diameter: Float64Array;
}

const STEP = 8_192;
const DIAMETER = featureKeys.indexOf('fiberDiameter');
const DOI = termKeys.indexOf('doi');

/** The processing window: the records that match by two features, and what came out in each cell. */
export async function grid(reading: Reading, filter: Filter, x: GridAxis, y: GridAxis): Promise<Grid> {
  const takeTurns = inSlices();
  const { total, parts } = await matchingRows(reading, filter);
  const excluded = new ExcludedCounts();
  const placed: Placed = {
    count: 0,
    x: new Float64Array(total),
    y: new Float64Array(total),
    doi: new Int32Array(total),
    stability: new Uint8Array(total),
    diameter: new Float64Array(total),
  };
  for (const part of parts) {
    const place = placing(part, placedRows(part, x, y, excluded), placed);
    for (let from = 0; from < part.places.length; from += STEP) {
      place(from, Math.min(part.places.length, from + STEP));
      await takeTurns();
    }
  }
  const { count } = placed;
  const binsX = await axisBins(placed.x.subarray(0, count), x);
  const binsY = await axisBins(placed.y.subarray(0, count), y);
  return {
    x: answered(x, binsX),
    y: answered(y, binsY),
    total,
    placed: count,
    cells: await cellsOf(placed, binsX, binsY, reading.dictionary.lastId() + 1),
    excluded: excluded.list(),
  };
}

/** Adds those of some rows of a part that are placed. */
function placing(
  part: RowsPart,
  { xs, ys, isPlaced }: ReturnType<typeof placedRows>,
  placed: Placed,
): (from: number, to: number) => void {
  const { values: dois, places } = intColumn(part, (rows) => rows.terms[DOI] ?? new Int32Array());
  const { values: stabilities } = intColumn(part, (rows) => rows.stability);
  const { values: diameters } = doubleColumn(part, DIAMETER);
  const { x, y, doi, stability, diameter } = placed;
  return (from, to) => {
    let at = placed.count;
    for (let row = from; row < to; row += 1) {
      if (!isPlaced(row)) continue;
      const place = places[row] ?? 0;
      x[at] = xs(row);
      y[at] = ys(row);
      doi[at] = dois[place] ?? 0;
      stability[at] = stabilities[place] ?? 0;
      diameter[at] = diameters[place] ?? NaN;
      at += 1;
    }
    placed.count = at;
  };
}

async function axisBins(values: Float64Array, { bins, isLog, min, max }: GridAxis): Promise<Bins> {
  if (values.length === 0) return binsOf(1, 0, bins, isLog);
  const range = await rangeOf(values);
  return binsOf(min ?? range.min, max ?? range.max, bins, isLog);
}

const answered = ({ feature: { feature, unit }, isLog }: GridAxis, { edges }: Bins): AnsweredAxis => ({
  feature,
  unit,
  scale: isLog ? 'log' : 'linear',
  edges,
});

/** The cells with records, by i, then j. */
async function cellsOf(placed: Placed, binsX: Bins, binsY: Bins, doiEnd: number): Promise<Cell[]> {
  const takeTurns = inSlices();
  const height = Math.max(1, binsY.edges.length - 1);
  const cellCount = Math.max(1, binsX.edges.length - 1) * height;
  const cellOf = new Int32Array(placed.count);
  const counts = new Uint32Array(cellCount);
  const stable = { yes: new Uint32Array(cellCount), no: new Uint32Array(cellCount) };
  for (let from = 0; from < placed.count; from += STEP) {
    countCells(placed, from, Math.min(placed.count, from + STEP), { binsX, binsY, height }, cellOf, counts, stable);
    await takeTurns();
  }
  /** Where the next record of a cell goes. */
  const next = new Uint32Array(cellCount);
  for (let cell = 1; cell < cellCount; cell += 1) next[cell] = (next[cell - 1] ?? 0) + (counts[cell - 1] ?? 0);
  const starts = next.slice();
  const byCell = { doi: new Int32Array(placed.count), diameter: new Float64Array(placed.count) };
  for (let from = 0; from < placed.count; from += STEP) {
    sortIntoCells(placed, from, Math.min(placed.count, from + STEP), cellOf, next, byCell);
    await takeTurns();
  }
  /** By DOI: the last cell in which it was counted, plus one. */
  const countedIn = new Uint32Array(doiEnd);
  const cells: Cell[] = [];
  for (let cell = 0; cell < cellCount; cell += 1) {
    const count = counts[cell] ?? 0;
    if (count === 0) continue;
    const [start, end] = [starts[cell] ?? 0, (starts[cell] ?? 0) + count];
    const diameters = present(byCell.diameter.subarray(start, end));
    const [q25, median, q75] = await quantilesOf(diameters, [0.25, 0.5, 0.75]);
    cells.push({
      i: Math.floor(cell / height),
      j: cell % height,
      count,
      papers: countDistinct(byCell.doi.subarray(start, end), countedIn, cell + 1),
      stable: stable.yes[cell] ?? 0,
      unstable: stable.no[cell] ?? 0,
      fiberDiameter: { count: diameters.length, q25, median, q75 },
    });
    await takeTurns();
  }
  return cells;
}

function countCells(
  { x, y, stability }: Placed,
  from: number,
  to: number,
  { binsX, binsY, height }: { binsX: Bins; binsY: Bins; height: number },
  cellOf: Int32Array,
  counts: Uint32Array,
  stable: { yes: Uint32Array; no: Uint32Array },
): void {
  for (let at = from; at < to; at += 1) {
    const cell = binsX.binOf(x[at] ?? 0) * height + binsY.binOf(y[at] ?? 0);
    cellOf[at] = cell;
    counts[cell] = (counts[cell] ?? 0) + 1;
    if (stability[at] === STABILITY.yes) stable.yes[cell] = (stable.yes[cell] ?? 0) + 1;
    else if (stability[at] === STABILITY.no) stable.no[cell] = (stable.no[cell] ?? 0) + 1;
  }
}

function sortIntoCells(
  { doi, diameter }: Placed,
  from: number,
  to: number,
  cellOf: Int32Array,
  next: Uint32Array,
  byCell: { doi: Int32Array; diameter: Float64Array },
): void {
  for (let at = from; at < to; at += 1) {
    const cell = cellOf[at] ?? 0;
    const place = next[cell] ?? 0;
    next[cell] = place + 1;
    byCell.doi[place] = doi[at] ?? 0;
    byCell.diameter[place] = diameter[at] ?? NaN;
  }
}

/** The values but for those that are none, moved to the front. */
function present(values: Float64Array): Float64Array {
  let filled = 0;
  for (let at = 0, end = values.length; at < end; at += 1) {
    const value = values[at] ?? NaN;
    values[filled] = value;
    if (!Number.isNaN(value)) filled += 1;
  }
  return values.subarray(0, filled);
}

/** How many different ids above 0 there are; `countedIn` has the round in which each was counted last. */
function countDistinct(ids: Int32Array, countedIn: Uint32Array, round: number): number {
  let count = 0;
  for (let at = 0, end = ids.length; at < end; at += 1) {
    const id = ids[at] ?? 0;
    if (id === 0 || countedIn[id] === round) continue;
    countedIn[id] = round;
    count += 1;
  }
  return count;
}
