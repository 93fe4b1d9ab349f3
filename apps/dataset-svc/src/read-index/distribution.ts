import { type CodedColumn, FIRST_NUMBER, NO_VALUE, NOT_CONVERTIBLE, type NumberColumn } from './coded-column.ts';
import { inSteps } from './take-turns.ts';

/** Maximum codes per row; beyond it, sorting the numbers of the rows is cheaper than visiting the codes. */
const CODES_PER_ROW = 10;

export async function countCodes({ codes, codeEnd }: CodedColumn, rows: Int32Array): Promise<Int32Array> {
  const counts = new Int32Array(codeEnd);
  await inSteps(rows, (part) => {
    addCounts(codes, part, counts);
  });
  return counts;
}

function addCounts(codes: Int32Array, rows: Int32Array, counts: Int32Array): void {
  for (let at = 0, end = rows.length; at < end; at += 1) {
    const code = codes[rows[at] ?? 0] ?? 0;
    counts[code] = (counts[code] ?? 0) + 1;
  }
}

/** Numbers in ascending order. The number `values[order[i]]` occurs `counts[order[i]]` times, which may be 0. */
export interface SortedNumbers {
  readonly order: Int32Array;
  readonly values: Float64Array;
  readonly counts: Int32Array;
  /** The sum of the counts. */
  readonly count: number;
}

export interface Distribution extends SortedNumbers {
  /** Rows without a value. */
  readonly missing: number;
  /** Rows whose value cannot be converted. */
  readonly notConvertible: number;
}

export async function distributionOf(column: NumberColumn, rows: Int32Array): Promise<Distribution> {
  if (rows.length * CODES_PER_ROW < column.codeEnd) return distributionOfFew(column, rows);
  const counts = await countCodes(column, rows);
  const [missing, notConvertible] = [counts[NO_VALUE] ?? 0, counts[NOT_CONVERTIBLE] ?? 0];
  const count = rows.length - missing - notConvertible;
  return { order: await column.sorted(), values: column.values, counts, count, missing, notConvertible };
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

export function sortNumbers(numbers: Float64Array): SortedNumbers {
  const values = numbers.slice().sort();
  const { length: count } = values;
  return { order: Int32Array.from(values.keys()), values, counts: new Int32Array(count).fill(1), count };
}

/** Visits numbers in ascending order, each with its count. Equal numbers may come one by one. */
export function forEachNumber(
  { order, values, counts }: SortedNumbers,
  visit: (value: number, count: number) => void,
): void {
  for (let at = 0, end = order.length; at < end; at += 1) {
    const code = order[at] ?? 0;
    const count = counts[code] ?? 0;
    if (count > 0) visit(values[code] ?? NaN, count);
  }
}

/** Returns the numbers at ascending positions, counted from 0, in the ascending order of all numbers. */
export function numbersAt({ order, values, counts }: SortedNumbers, positions: readonly number[]): number[] {
  const found: number[] = [];
  let below = 0;
  for (let at = 0, end = order.length; at < end && found.length < positions.length; at += 1) {
    const code = order[at] ?? 0;
    below += counts[code] ?? 0;
    while ((positions[found.length] ?? Infinity) < below) found.push(values[code] ?? NaN);
  }
  return found;
}

export function rangeOf(numbers: SortedNumbers): { min: number; max: number } | undefined {
  const [min, max] = numbersAt(numbers, [0, numbers.count - 1]);
  return min === undefined || max === undefined ? undefined : { min, max };
}
