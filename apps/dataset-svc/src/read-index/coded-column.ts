import { sortInSlices } from './sort-in-slices.ts';

/** The code of a row without a value. */
export const NO_VALUE = 0;
/** The code of a row whose value cannot be converted to the unit of the filter. */
export const NOT_CONVERTIBLE = 1;
export const FIRST_NUMBER = 2;

/** Codes by slot. Codes are only appended and never change, so the `codes` that a reader has stay valid for the rows it knows. */
export class CodedColumn {
  #codes: Int32Array;
  #codeEnd: number;

  /** Reserves memory for `capacity` rows; all codes of the column are below `codeEnd`, which grows with them. */
  constructor(capacity: number, codeEnd = 1) {
    this.#codes = new Int32Array(capacity);
    this.#codeEnd = codeEnd;
  }

  get codes(): Int32Array {
    return this.#codes;
  }

  /** The first number that is not a code of any row. */
  get codeEnd(): number {
    return this.#codeEnd;
  }

  /** Writes codes after the first `length` ones. */
  append(length: number, codes: Int32Array): void {
    this.#codes = appended(this.#codes, length, codes);
    for (const code of codes) if (code >= this.#codeEnd) this.#codeEnd = code + 1;
  }
}

/** Memoizes `compute` by code. Its results must be NaN or at least 0. */
export function byCode({ codes, codeEnd }: CodedColumn, compute: (code: number) => number): (slot: number) => number {
  const results = new Float64Array(codeEnd).fill(-1);
  return (slot) => {
    const code = codes[slot] ?? 0;
    let number = results[code] ?? -1;
    if (number < 0) {
      number = compute(code);
      results[code] = number;
    }
    return number;
  };
}

/** A column of numbers. Each distinct number has a code. */
export class NumberColumn extends CodedColumn {
  /** By code; the first two are NaN. */
  #values = new Float64Array(16).fill(NaN);
  #end = FIRST_NUMBER;
  /** A hash table with open addressing: codes, 0 if free. A Map of a million numbers takes 45 MB and three times as long. */
  #table = new Uint32Array(32);
  #sorted: Int32Array = new Int32Array();

  /** The number of each code; NaN for NO_VALUE and NOT_CONVERTIBLE. */
  get values(): Float64Array {
    return this.#values;
  }

  /** Appends numbers after the first `length` rows. For NaN, `isInconvertible` determines the code of the row. */
  appendNumbers(length: number, numbers: Float64Array, isInconvertible: (row: number) => boolean): void {
    const codes = new Int32Array(numbers.length);
    for (let row = 0; row < numbers.length; row += 1) {
      const number = numbers[row] ?? NaN;
      if (Number.isNaN(number)) codes[row] = isInconvertible(row) ? NOT_CONVERTIBLE : NO_VALUE;
      // Minus zero is zero.
      else codes[row] = this.#codeOf(number + 0);
    }
    this.append(length, codes);
  }

  /** Returns the number of a row; NaN without a value. */
  numberAt(slot: number): number {
    return this.#values[this.codes[slot] ?? 0] ?? NaN;
  }

  async sorted(): Promise<Int32Array> {
    const earlier = this.#sorted;
    const count = this.#end - FIRST_NUMBER;
    if (earlier.length === count) return earlier;
    const codes = Int32Array.from({ length: count }, (_, at) => earlier[at] ?? at + FIRST_NUMBER);
    const values = this.#values;
    const sorted = await sortInSlices(codes, (one, other) => (values[one] ?? 0) - (values[other] ?? 0));
    if (sorted.length > this.#sorted.length) this.#sorted = sorted;
    return sorted;
  }

  #codeOf(number: number): number {
    let cell = this.#cellOf(number);
    const existing = this.#table[cell] ?? 0;
    if (existing !== 0) return existing;
    const code = this.#end++;
    if (code === this.#values.length) {
      const larger = new Float64Array(2 * code);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[code] = number;
    if (2 * code >= this.#table.length) {
      this.#table = new Uint32Array(2 * this.#table.length);
      for (let other = FIRST_NUMBER; other < code; other += 1) {
        this.#table[this.#cellOf(this.#values[other] ?? 0)] = other;
      }
      cell = this.#cellOf(number);
    }
    this.#table[cell] = code;
    return code;
  }

  /** Finds the cell of the hash table that contains the code of a number, or the free cell for it. */
  #cellOf(number: number): number {
    const last = this.#table.length - 1;
    double[0] = number;
    // The finalizer of MurmurHash3 over both halves.
    let hash = (words[0] ?? 0) ^ Math.imul(words[1] ?? 0, 0x9e37_79b1);
    hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
    for (let cell = (hash ^ (hash >>> 16)) & last; ; cell = (cell + 1) & last) {
      const code = this.#table[cell] ?? 0;
      if (code === 0 || this.#values[code] === number) return cell;
    }
  }
}

const double = new Float64Array(1);
const words = new Int32Array(double.buffer);

/** Writes values after the first `length` items of an array. Returns the same array, or a copy that is a quarter larger. */
export function appended(array: Int32Array, length: number, values: Int32Array): Int32Array {
  const end = length + values.length;
  let target = array;
  if (end > array.length) {
    target = new Int32Array(Math.max(end, Math.ceil(1.25 * array.length)));
    target.set(array);
  }
  target.set(values, length);
  return target;
}
