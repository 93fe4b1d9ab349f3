import type { Condition, Filter } from '@esd/record/filter/filter';
import { columnConditions } from '../read-index/column-conditions.ts';
import { forEachBit, writeSlots } from '../read-index/columns/bitmap.ts';
import type { RowColumns } from '../read-index/columns/row-columns.ts';
import { matches } from '../read-index/columns/search.ts';
import type { Segment } from '../read-index/columns/segment.ts';
import { inSlices } from '../read-index/columns/take-turns.ts';
import type { Reading } from '../read-index/read-index.ts';

/** The rows that match, by ascending record id: sums of numbers are then the same in every copy. */
export interface MatchingRows {
  readonly total: number;
  readonly parts: readonly RowsPart[];
}

/** Rows that follow each other by record id. A place is a slot of `rows`, or `~slot` of `tail`. */
export interface RowsPart {
  readonly rows: RowColumns;
  readonly tail: RowColumns;
  readonly places: Int32Array;
  /** That of `rows`. */
  readonly segment: Segment;
  /** Whether some of the places are of the tail. */
  readonly hasTail: boolean;
}

const found = new WeakMap<Reading, WeakMap<Filter, Promise<MatchingRows>>>();

/** The rows that match a filter at the state of a reading; several questions of one reading look for them once. */
export function matchingRows(reading: Reading, filter: Filter): Promise<MatchingRows> {
  const known = found.get(reading) ?? new WeakMap<Filter, Promise<MatchingRows>>();
  found.set(reading, known);
  const rows = known.get(filter) ?? findRows(reading, filter);
  known.set(filter, rows);
  return rows;
}

/** The rows that match all conditions but those on a key. */
export function matchingRowsExcept(reading: Reading, filter: Filter, key: Condition['key']): Promise<MatchingRows> {
  const others = filter.filter((condition) => condition.key !== key);
  return matchingRows(reading, others.length === filter.length ? filter : others);
}

async function findRows(reading: Reading, filter: Filter): Promise<MatchingRows> {
  const { view } = reading;
  const conditions = columnConditions(filter, reading);
  if (!conditions) return { total: 0, parts: [] };
  const takeTurns = inSlices();
  const { rows: tail } = view.tail;
  const parts: RowsPart[] = [];
  let total = 0;
  for (const { segment, bits, count, tailSlots } of matches(view, conditions)) {
    const { rows } = segment;
    const places = new Int32Array(count);
    let [filled, other] = [0, 0];
    if (tailSlots.length === 0) {
      writeSlots(bits, places);
      filled = count;
    } else {
      forEachBit(bits, (slot) => {
        const recordId = rows.recordId[slot] ?? 0;
        while (other < tailSlots.length && (tail.recordId[tailSlots[other] ?? 0] ?? 0) < recordId) {
          places[filled++] = ~(tailSlots[other++] ?? 0);
        }
        places[filled++] = slot;
      });
    }
    if (filled > 0) parts.push({ rows, tail, places: places.subarray(0, filled), segment, hasTail: other > 0 });
    // What is new mostly has the highest record ids: a part of its own, so that the segment's columns need not be copied.
    if (filled < count) {
      const places = Int32Array.from(tailSlots.slice(other));
      parts.push({ rows: tail, tail, places, segment: view.tail, hasTail: false });
    }
    total += count;
    await takeTurns();
  }
  return { total, parts };
}

/** A column of a part: the row at `i` has the value at `places[i]`. */
export interface PartColumn<Values> {
  readonly values: Values;
  readonly places: Int32Array;
}

const ordinals = new WeakMap<RowsPart, Int32Array>();

/** The places of a column that was copied: each row at its own. */
function ordinalsOf(part: RowsPart): Int32Array {
  const known = ordinals.get(part);
  if (known) return known;
  const made = Int32Array.from(part.places.keys());
  ordinals.set(part, made);
  return made;
}

/** A column of numbers. It is read where it is, which costs less than to copy it, unless the tail has some of the rows. */
export function doubleColumn(part: RowsPart, feature: number): PartColumn<Float64Array> {
  const { rows, tail, places, hasTail } = part;
  const [own, other] = [rows.features[feature], tail.features[feature]];
  if (!own || !other) throw new Error(`there is no feature ${feature}`);
  if (!hasTail) return { values: own, places };
  const values = new Float64Array(places.length);
  for (let at = 0; at < places.length; at++) {
    const place = places[at] ?? 0;
    values[at] = (place < 0 ? other[~place] : own[place]) ?? NaN;
  }
  return { values, places: ordinalsOf(part) };
}

/** A column of integers, as `doubleColumn` reads one of numbers. */
export function intColumn(part: RowsPart, column: (rows: RowColumns) => Int32Array): PartColumn<Int32Array> {
  const { rows, tail, places, hasTail } = part;
  const [own, other] = [column(rows), column(tail)];
  if (!hasTail) return { values: own, places };
  const values = new Int32Array(places.length);
  for (let at = 0; at < places.length; at++) {
    const place = places[at] ?? 0;
    values[at] = (place < 0 ? other[~place] : own[place]) ?? 0;
  }
  return { values, places: ordinalsOf(part) };
}

/** Whether some row of a part may have a value of a feature. */
export function mayHaveFeature({ segment, hasTail }: RowsPart, feature: number): boolean {
  return hasTail || (segment.features[feature]?.filled ?? 0) > 0;
}

/** Reads a column of numbers by row: the place of a part that it is in. */
export function doublesOf(part: RowsPart, feature: number): (row: number) => number {
  const { values, places } = doubleColumn(part, feature);
  return (row) => values[places[row] ?? 0] ?? NaN;
}

/** Reads a column of integers, as `doublesOf` does. */
export function intsOf(part: RowsPart, column: (rows: RowColumns) => Int32Array): (row: number) => number {
  const { values, places } = intColumn(part, column);
  return (row) => values[places[row] ?? 0] ?? 0;
}
