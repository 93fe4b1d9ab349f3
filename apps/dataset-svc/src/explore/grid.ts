import type { Filter } from '@esd/record/filter/filter';
import type { Feature } from '@esd/record/filter/filter-keys';
import { STABILITY } from '../read-index/columns/row-columns.ts';
import { inSlices } from '../read-index/columns/take-turns.ts';
import { featureKeys, termKeys } from '../read-index/index-row.table.ts';
import type { Reading } from '../read-index/read-index.ts';
import { type Bins, binsOf } from './bins.ts';
import { type Excluded, ExcludedCounts } from './excluded.ts';
import { doublesOf, intsOf, matchingRows } from './matching-rows.ts';
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
  x: Float64Array;
  y: Float64Array;
  doi: Int32Array;
  stability: Int32Array;
  diameter: Float64Array;
}

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
    stability: new Int32Array(total),
    diameter: new Float64Array(total),
  };
  for (const part of parts) {
    const { xs, ys, isPlaced } = placedRows(part, x, y, excluded);
    const dois = intsOf(part, (rows) => rows.terms[DOI] ?? new Int32Array());
    const stabilities = intsOf(part, (rows) => rows.stability);
    const diameters = doublesOf(part, DIAMETER);
    await takeTurns();
    for (let row = 0; row < part.places.length; row += 1) {
      if (row % 8_192 === 0) await takeTurns();
      if (!isPlaced(row)) continue;
      const at = placed.count++;
      placed.x[at] = xs(row);
      placed.y[at] = ys(row);
      placed.doi[at] = dois(row);
      placed.stability[at] = stabilities(row);
      placed.diameter[at] = diameters(row);
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

async function axisBins(values: Float64Array, { bins, isLog, min, max }: GridAxis): Promise<Bins> {
  if (values.length === 0) return binsOf(1, 0, bins, isLog);
  const takeTurns = inSlices();
  let [smallest, largest] = [Infinity, -Infinity];
  for (let start = 0; start < values.length; start += 65_536) {
    for (const value of values.subarray(start, start + 65_536)) {
      if (value < smallest) smallest = value;
      if (value > largest) largest = value;
    }
    await takeTurns();
  }
  return binsOf(min ?? smallest, max ?? largest, bins, isLog);
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
  const cellOf = new Int32Array(placed.count);
  const ends = new Uint32Array(Math.max(1, binsX.edges.length - 1) * height + 1);
  for (let at = 0; at < placed.count; at += 1) {
    const cell = binsX.binOf(placed.x[at] ?? 0) * height + binsY.binOf(placed.y[at] ?? 0);
    cellOf[at] = cell;
    ends[cell + 1] = (ends[cell + 1] ?? 0) + 1;
    if (at % 8_192 === 0) await takeTurns();
  }
  for (let cell = 1; cell < ends.length; cell += 1) ends[cell] = (ends[cell] ?? 0) + (ends[cell - 1] ?? 0);
  // Now each is where its cell begins; the rows go there by cell.
  const next = ends.slice();
  const rows = new Uint32Array(placed.count);
  for (let at = 0; at < placed.count; at += 1) {
    const cell = cellOf[at] ?? 0;
    rows[next[cell] ?? 0] = at;
    next[cell] = (next[cell] ?? 0) + 1;
    if (at % 8_192 === 0) await takeTurns();
  }
  /** By DOI: the last cell in which it was counted, plus one. */
  const countedIn = new Uint32Array(doiEnd);
  const cells: Cell[] = [];
  for (let cell = 0; cell + 1 < ends.length; cell += 1) {
    const inside = rows.subarray(ends[cell] ?? 0, ends[cell + 1] ?? 0);
    if (inside.length === 0) continue;
    const diameters = new Float64Array(inside.length);
    let [filled, papers, stable, unstable] = [0, 0, 0, 0];
    for (const at of inside) {
      const diameter = placed.diameter[at] ?? NaN;
      if (!Number.isNaN(diameter)) diameters[filled++] = diameter;
      const doi = placed.doi[at] ?? 0;
      if (doi > 0 && countedIn[doi] !== cell + 1) {
        countedIn[doi] = cell + 1;
        papers += 1;
      }
      const stability = placed.stability[at] ?? 0;
      if (stability === STABILITY.yes) stable += 1;
      else if (stability === STABILITY.no) unstable += 1;
    }
    const [q25, median, q75] = await quantilesOf(diameters.subarray(0, filled), [0.25, 0.5, 0.75]);
    cells.push({
      i: Math.floor(cell / height),
      j: cell % height,
      count: inside.length,
      papers,
      stable,
      unstable,
      fiberDiameter: { count: filled, q25, median, q75 },
    });
    await takeTurns();
  }
  return cells;
}
