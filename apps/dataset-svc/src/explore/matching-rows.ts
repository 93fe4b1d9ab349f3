import type { Filter } from '@esd/record/filter/filter';
import { columnConditions } from '../read-index/column-conditions.ts';
import { forEachBit } from '../read-index/columns/bitmap.ts';
import type { RowColumns } from '../read-index/columns/row-columns.ts';
import { matches } from '../read-index/columns/search.ts';
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
}

/** The rows that match a filter at the state of a reading. */
export async function matchingRows(reading: Reading, filter: Filter): Promise<MatchingRows> {
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
    const addTail = (before: number): void => {
      while (other < tailSlots.length && (tail.recordId[tailSlots[other] ?? 0] ?? 0) < before) {
        places[filled++] = ~(tailSlots[other++] ?? 0);
      }
    };
    if (tailSlots.length === 0) {
      forEachBit(bits, (slot) => {
        places[filled++] = slot;
      });
    } else {
      forEachBit(bits, (slot) => {
        addTail(rows.recordId[slot] ?? 0);
        places[filled++] = slot;
      });
    }
    addTail(Infinity);
    if (places.length > 0) parts.push({ rows, tail, places });
    total += places.length;
    await takeTurns();
  }
  return { total, parts };
}

/** Reads a column of numbers by row: the place of a part that it is in. Nothing is copied, which would cost more than to look. */
export function doublesOf({ rows, tail, places }: RowsPart, feature: number): (row: number) => number {
  const [own, other] = [rows.features[feature], tail.features[feature]];
  if (!own || !other) throw new Error(`there is no feature ${feature}`);
  return (row) => {
    const place = places[row] ?? 0;
    return (place < 0 ? other[~place] : own[place]) ?? NaN;
  };
}

/** Reads a column of integers, as `doublesOf` does. */
export function intsOf(
  { rows, tail, places }: RowsPart,
  column: (rows: RowColumns) => Int32Array,
): (row: number) => number {
  const [own, other] = [column(rows), column(tail)];
  return (row) => {
    const place = places[row] ?? 0;
    return (place < 0 ? other[~place] : own[place]) ?? 0;
  };
}
