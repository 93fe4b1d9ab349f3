import { type CodedColumn, FIRST_NUMBER, NO_VALUE, NOT_CONVERTIBLE, type NumberColumn } from './coded-column.ts';
import { takeTurns } from './take-turns.ts';

/** Rows of one step: some 0.5 ms. */
const STEP = 131_072;
/** So many codes for each row, or more, and sorting the numbers of the rows is cheaper than walking through the codes. */
const CODES_PER_ROW = 10;

/** Counts the rows of each code. */
export async function countCodes({ codes, codeEnd }: CodedColumn, rows: Int32Array): Promise<Int32Array> {
  const counts = new Int32Array(codeEnd);
  for (let from = 0; from < rows.length; from += STEP) {
    addCounts(codes, rows.subarray(from, from + STEP), counts);
    await takeTurns();
  }
  return counts;
}

function addCounts(codes: Int32Array, rows: Int32Array, counts: Int32Array): void {
  for (let at = 0, end = rows.length; at < end; at += 1) {
    const code = codes[rows[at] ?? 0] ?? 0;
    counts[code] = (counts[code] ?? 0) + 1;
  }
}

/** Numbers in ascending order. */
export interface SortedNumbers {
  /** The different numbers, ascending. */
  readonly values: Float64Array;
  /** How often each of them occurs. */
  readonly counts: Int32Array;
  /** How many numbers there are. */
  readonly count: number;
}

/** The numbers of a column in some rows. */
export interface Distribution extends SortedNumbers {
  /** How many rows have no value. */
  readonly missing: number;
  /** How many rows have a value that cannot be converted. */
  readonly notConvertible: number;
}

/** Counts the numbers of a column in some rows. */
export async function distributionOf(column: NumberColumn, rows: Int32Array): Promise<Distribution> {
  if (rows.length * CODES_PER_ROW < column.codeEnd) return distributionOfFew(column, rows);
  const counts = await countCodes(column, rows);
  const [missing, notConvertible] = [counts[NO_VALUE] ?? 0, counts[NOT_CONVERTIBLE] ?? 0];
  const count = rows.length - missing - notConvertible;
  return { ...occurring(column, await column.sorted(), counts), count, missing, notConvertible };
}

function occurring(
  { values }: NumberColumn,
  sorted: Int32Array,
  countOf: Int32Array,
): Pick<Distribution, 'values' | 'counts'> {
  const numbers = new Float64Array(sorted.length);
  const counts = new Int32Array(sorted.length);
  let different = 0;
  for (let at = 0, end = sorted.length; at < end; at += 1) {
    const code = sorted[at] ?? 0;
    const count = countOf[code] ?? 0;
    numbers[different] = values[code] ?? NaN;
    counts[different] = count;
    if (count > 0) different += 1;
  }
  return { values: numbers.subarray(0, different), counts: counts.subarray(0, different) };
}

function distributionOfFew({ codes, values }: NumberColumn, rows: Int32Array): Distribution {
  const numbers = new Float64Array(rows.length);
  let [count, notConvertible] = [0, 0];
  for (let at = 0, end = rows.length; at < end; at += 1) {
    const code = codes[rows[at] ?? 0] ?? 0;
    if (code >= FIRST_NUMBER) numbers[count++] = values[code] ?? NaN;
    else if (code === NOT_CONVERTIBLE) notConvertible += 1;
  }
  const missing = rows.length - count - notConvertible;
  return { ...sortNumbers(numbers.subarray(0, count)), missing, notConvertible };
}

/** Sorts numbers. */
export function sortNumbers(numbers: Float64Array): SortedNumbers {
  const values = numbers.slice().sort();
  const counts = new Int32Array(values.length);
  let different = 0;
  for (let at = 0, end = values.length; at < end; at += 1) {
    const value = values[at] ?? NaN;
    if (different === 0 || value !== values[different - 1]) values[different++] = value;
    counts[different - 1] = (counts[different - 1] ?? 0) + 1;
  }
  return { values: values.subarray(0, different), counts: counts.subarray(0, different), count: numbers.length };
}

/** Makes a function that returns the number at a place, counted from 0, of the numbers in ascending order. */
export function valueAt({ values, counts }: SortedNumbers): (place: number) => number {
  const ends = endsOf(counts);
  return (place) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((ends[middle] ?? 0) <= place) low = middle + 1;
      else high = middle;
    }
    return values[low] ?? NaN;
  };
}

/** Adds up counts: the place behind the last number of each value. */
function endsOf(counts: Int32Array): Int32Array {
  const ends = new Int32Array(counts.length);
  let sum = 0;
  for (let at = 0, end = counts.length; at < end; at += 1) {
    sum += counts[at] ?? 0;
    ends[at] = sum;
  }
  return ends;
}
