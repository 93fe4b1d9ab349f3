import type { Filter } from '@esd/record/filter/filter';
import { inSlices } from '../read-index/columns/take-turns.ts';
import { featureKeys, termKeys } from '../read-index/index-row.table.ts';
import type { Reading } from '../read-index/read-index.ts';
import { doublesOf, intsOf, matchingRows } from './matching-rows.ts';

const STEP = 256;

/** How many of the records that match are like another of them in every value that can be filtered. */
export interface Repeats {
  /** Records that are like another one, the first of each group included. */
  records: number;
  /** Groups of records that are like each other. */
  groups: number;
}

/** Compares the records that match; null where they are more than `limit`. */
export async function repeats(reading: Reading, filter: Filter, limit: number): Promise<Repeats | null> {
  const { total, parts } = await matchingRows(reading, filter);
  if (total > limit) return null;
  const takeTurns = inSlices();
  const counts = new Map<string, number>();
  for (const part of parts) {
    const columns = [
      ...featureKeys.map((_, at) => doublesOf(part, at)),
      ...termKeys.map((_, at) => intsOf(part, (rows) => rows.terms[at] ?? new Int32Array(rows.length))),
      intsOf(part, (rows) => rows.stability),
      intsOf(part, (rows) => rows.notConvertible),
    ];
    for (let row = 0; row < part.places.length; row += 1) {
      const values = columns.map((valueAt) => valueAt(row)).join();
      counts.set(values, (counts.get(values) ?? 0) + 1);
      if (row % STEP === 0) await takeTurns();
    }
  }
  const repeated = [...counts.values()].filter((count) => count > 1);
  return { records: repeated.reduce((sum, count) => sum + count, 0), groups: repeated.length };
}
