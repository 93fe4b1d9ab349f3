import { type CodedColumn, FIRST_NUMBER, NO_VALUE, NOT_CONVERTIBLE, type NumberColumn } from './coded-column.ts';
import { inSteps } from './slices.ts';

/** Maximum codes per row; beyond it, sorting the numbers of the rows is cheaper than visiting the codes. */
const CODES_PER_ROW = 10;

export async function countCodes(
  { codes, codeEnd }: Pick<CodedColumn, 'codes' | 'codeEnd'>,
  rows: Int32Array,
): Promise<Int32Array> {
  const counts = new Int32Array(codeEnd);
  if (codeEnd > 1) await inSteps(rows, (slots) => addCounts(codes, slots, counts));
  // Many features have no value in any record.
  else counts[NO_VALUE] = rows.length;
  return counts;
}

function addCounts(codes: Int32Array, rows: Int32Array, counts: Int32Array): void {
  for (let at = 0, end = rows.length; at < end; at += 1) {
    const code = codes[rows[at] ?? 0] ?? 0;
    counts[code] = (counts[code] ?? 0) + 1;
  }
}

/** Distinct numbers in ascending order, each with the number of its occurrences. */
export interface SortedNumbers {
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
  return { ...occurring(await column.sorted(), column.values, counts), count, missing, notConvertible };
}

/** Returns the values of the codes that occur, in the given order of the codes. */
function occurring(order: Int32Array, byCode: Float64Array, countsByCode: Int32Array) {
  const [values, counts] = [new Float64Array(order.length), new Int32Array(order.length)];
  let distinct = 0;
  for (let at = 0, end = order.length; at < end; at += 1) {
    const code = order[at] ?? 0;
    const count = countsByCode[code] ?? 0;
    if (count === 0) continue;
    values[distinct] = byCode[code] ?? NaN;
    counts[distinct] = count;
    distinct += 1;
  }
  return { values: values.subarray(0, distinct), counts: counts.subarray(0, distinct) };
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
  const counts = new Int32Array(values.length);
  let distinct = 0;
  for (const value of values) {
    if (distinct === 0 || value !== values[distinct - 1]) values[distinct++] = value;
    counts[distinct - 1] = (counts[distinct - 1] ?? 0) + 1;
  }
  return { values: values.subarray(0, distinct), counts: counts.subarray(0, distinct), count: values.length };
}

/** Visits numbers in ascending order, each with its count. */
export function forEachNumber({ values, counts }: SortedNumbers, visit: (value: number, count: number) => void): void {
  for (let at = 0, end = values.length; at < end; at += 1) visit(values[at] ?? NaN, counts[at] ?? 0);
}

/** Returns the numbers at ascending positions, counted from 0, in the ascending order of all numbers. */
export function numbersAt({ values, counts }: SortedNumbers, positions: readonly number[]): number[] {
  const numbers: number[] = [];
  let below = 0;
  for (let at = 0, end = values.length; at < end && numbers.length < positions.length; at += 1) {
    below += counts[at] ?? 0;
    while ((positions[numbers.length] ?? Infinity) < below) numbers.push(values[at] ?? NaN);
  }
  return numbers;
}

export function rangeOf({ values }: SortedNumbers): { min: number; max: number } | undefined {
  const [min, max] = [values.at(0), values.at(-1)];
  return min === undefined || max === undefined ? undefined : { min, max };
}
