import type { Filter } from '@esd/record/filter/filter';
import { inSlices } from '../read-index/columns/take-turns.ts';
import { featureKeys, termKeys } from '../read-index/index-row.table.ts';
import type { Reading } from '../read-index/read-index.ts';
import {
  doubleColumn,
  intColumn,
  matchingRows,
  mayHaveFeature,
  type PartColumn,
  type RowsPart,
} from './matching-rows.ts';

/** How many of the records that match are like another of them in every value that can be filtered. */
export interface Repeats {
  /** Records that are like another one, the first of each group included. */
  records: number;
  /** Groups of records that are like each other. */
  groups: number;
}

const BUCKETS = 1_024;
/** Rows between two turns. */
const STEP = 65_536;

/**
 * Compares the records that match by hashes of 53 bits, 8 bytes a record: of a million records two that differ are taken for the same
 * once in 20,000 datasets. Null where they are more than `limit`.
 */
export async function repeats(reading: Reading, filter: Filter, limit: number): Promise<Repeats | null> {
  const { total, parts } = await matchingRows(reading, filter);
  if (total > limit) return null;
  const hashes = new Float64Array(total);
  let filled = 0;
  for (const part of parts) {
    await hashRows(part, hashes.subarray(filled, filled + part.places.length));
    filled += part.places.length;
  }
  const { sorted, ends } = await inBuckets(hashes);
  const takeTurns = inSlices();
  const found: Repeats = { records: 0, groups: 0 };
  for (const [bucket, end] of ends.entries()) {
    addRepeats(sorted.subarray(ends[bucket - 1] ?? 0, end).sort(), found);
    await takeTurns();
  }
  return found;
}

/** Two halves of a hash for each row: sums of what each of its values gives, so that columns without values cost nothing. */
interface Halves {
  high: Int32Array;
  low: Int32Array;
}

async function hashRows(part: RowsPart, hashes: Float64Array): Promise<void> {
  const takeTurns = inSlices();
  const { length } = part.places;
  const halves = { high: new Int32Array(length), low: new Int32Array(length) };
  for (const feature of featureKeys.keys()) {
    if (mayHaveFeature(part, feature)) addDoubles(doubleColumn(part, feature), feature, halves);
    await takeTurns();
  }
  const others = [
    ...termKeys.map((_, at) => intColumn(part, (rows) => rows.terms[at] ?? new Int32Array(rows.length))),
    intColumn(part, (rows) => rows.stability),
    intColumn(part, (rows) => rows.notConvertible),
  ];
  for (const [at, column] of others.entries()) {
    addInts(column, featureKeys.length + at, halves);
    await takeTurns();
  }
  const { high, low } = halves;
  for (let row = 0; row < length; row += 1) hashes[row] = ((high[row] ?? 0) >>> 11) * 2 ** 32 + ((low[row] ?? 0) >>> 0);
}

const double = new Float64Array(1);
const bits = new Int32Array(double.buffer);

function addDoubles({ values, places }: PartColumn<Float64Array>, column: number, { high, low }: Halves): void {
  for (let row = 0; row < places.length; row += 1) {
    const value = values[places[row] ?? 0] ?? NaN;
    if (Number.isNaN(value)) continue;
    // Both zeros are the same value.
    double[0] = value + 0;
    const [first = 0, second = 0] = bits;
    high[row] = (high[row] ?? 0) + mixed(column, first, second);
    low[row] = (low[row] ?? 0) + mixed(~column, first, second);
  }
}

function addInts({ values, places }: PartColumn<Int32Array>, column: number, { high, low }: Halves): void {
  for (let row = 0; row < places.length; row += 1) {
    const value = values[places[row] ?? 0] ?? 0;
    if (value === 0) continue;
    high[row] = (high[row] ?? 0) + mixed(column, value, 0);
    low[row] = (low[row] ?? 0) + mixed(~column, value, 0);
  }
}

/** 32 bits that look random, by the steps of MurmurHash3. */
function mixed(seed: number, first: number, second: number): number {
  let hash = withWord(withWord(Math.imul(seed, 0x9e3779b1), first), second);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

function withWord(hash: number, word: number): number {
  const scrambled = Math.imul(word, 0xcc9e2d51);
  const joined = hash ^ Math.imul((scrambled << 15) | (scrambled >>> 17), 0x1b873593);
  return (Math.imul((joined << 13) | (joined >>> 19), 5) + 0xe6546b64) | 0;
}

/** The hashes in buckets of equal width, in no order within one, and where each bucket ends: each is sorted in a short time. */
async function inBuckets(hashes: Float64Array): Promise<{ sorted: Float64Array; ends: Int32Array }> {
  const takeTurns = inSlices();
  const bucketOf = (hash: number): number => Math.floor(hash / 2 ** 43);
  const ends = new Int32Array(BUCKETS);
  for (let at = 0; at < hashes.length; at += 1) {
    const bucket = bucketOf(hashes[at] ?? 0);
    ends[bucket] = (ends[bucket] ?? 0) + 1;
    if (at % STEP === 0) await takeTurns();
  }
  let end = 0;
  const starts = ends.map((count) => (end += count) - count);
  const sorted = new Float64Array(hashes.length);
  for (let at = 0; at < hashes.length; at += 1) {
    const hash = hashes[at] ?? 0;
    const bucket = bucketOf(hash);
    const place = starts[bucket] ?? 0;
    sorted[place] = hash;
    starts[bucket] = place + 1;
    if (at % STEP === 0) await takeTurns();
  }
  // Each start has moved to the end of its bucket.
  return { sorted, ends: starts };
}

function addRepeats(sorted: Float64Array, found: Repeats): void {
  let run = 1;
  for (let at = 1; at <= sorted.length; at += 1) {
    if (at < sorted.length && sorted[at] === sorted[at - 1]) {
      run += 1;
      continue;
    }
    if (run > 1) {
      found.records += run;
      found.groups += 1;
    }
    run = 1;
  }
}
