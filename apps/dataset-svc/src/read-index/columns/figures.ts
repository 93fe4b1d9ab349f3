import { type Bitmap, forEachBit } from './bitmap.ts';
import type { ColumnView } from './column-index.ts';
import type { ColumnCondition, Segment } from './segment.ts';
import { inSlices } from './take-turns.ts';

/** The rows that figures are made of, in no order. */
export interface Selection {
  readonly total: number;
  readonly parts: readonly { segment: Segment; bits: Bitmap; count: number }[];
}

/** The rows that satisfy all conditions. */
export async function selectRows(view: ColumnView, conditions: readonly ColumnCondition[]): Promise<Selection> {
  const takeTurns = inSlices();
  const parts = [];
  let total = 0;
  for (const segment of [...view.segments, view.tail]) {
    const { bits, count } = segment.match(conditions, view.revision);
    if (count > 0) parts.push({ segment, bits, count });
    total += count;
    await takeTurns();
  }
  return { total, parts };
}

/** The values of a feature in the rows selected, in no order; rows without one are left out. */
export async function valuesOf({ total, parts }: Selection, feature: number): Promise<Float64Array> {
  const takeTurns = inSlices();
  const values = new Float64Array(total);
  let filled = 0;
  for (const { segment, bits } of parts) {
    const column = segment.rows.features[feature];
    if (!column) throw new Error(`there is no feature ${feature}`);
    forEachBit(bits, (slot) => {
      const value = column[slot] ?? NaN;
      if (!Number.isNaN(value)) values[filled++] = value;
    });
    await takeTurns();
  }
  return values.subarray(0, filled);
}

/** Values that are sorted at once; more of them are told apart by buckets in less time. */
const SORTED = 1_024;
const BUCKETS = 1_024;
/** Values between two turns. */
const STEP = 65_536;

/** Buckets of equal width; a value is in the bucket (value × scale − low) × perWidth. */
interface Buckets {
  low: number;
  scale: number;
  perWidth: number;
}

/** A bucket in which places are looked for. */
interface Wanted {
  below: number;
  places: readonly number[];
  /** Where its values begin and end among those of all such buckets. */
  from: number;
  to: number;
}

/**
 * The values at some places (from 0, each below their number) of the values in ascending order, without sorting them all: buckets of equal
 * width are counted, and those with a place are looked into.
 */
export async function valuesAt(values: Float64Array, places: readonly number[]): Promise<number[]> {
  const found = new Map<number, number>();
  await placeValues(
    values,
    0,
    [...new Set(places)].sort((a, b) => a - b),
    found,
    inSlices(),
  );
  return places.map((place) => found.get(place) ?? NaN);
}

/** The smallest and the largest of values; of none Infinity and −Infinity. */
export async function rangeOf(values: Float64Array, takeTurns = inSlices()): Promise<{ min: number; max: number }> {
  const range = { min: Infinity, max: -Infinity };
  for (let from = 0; from < values.length; from += STEP) {
    widen(range, values.subarray(from, from + STEP));
    await takeTurns();
  }
  return range;
}

// What looks at every value is a plain loop by index, outside of async functions: several times as fast as `for … of`, or a loop with turns.

function widen(range: { min: number; max: number }, values: Float64Array): void {
  let { min, max } = range;
  for (let at = 0, end = values.length; at < end; at += 1) {
    const value = values[at] ?? 0;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  range.min = min;
  range.max = max;
}

async function placeValues(
  values: Float64Array,
  /** How many values lie below all of these. */
  below: number,
  /** Ascending. */
  places: readonly number[],
  found: Map<number, number>,
  takeTurns: () => Promise<void> | undefined,
): Promise<void> {
  await takeTurns();
  const sortAll = (): void => {
    const sorted = values.slice().sort();
    for (const place of places) found.set(place, sorted[place - below] ?? NaN);
  };
  if (values.length <= SORTED) {
    sortAll();
    return;
  }
  const { min, max } = await rangeOf(values, takeTurns);
  if (min === max) {
    for (const place of places) found.set(place, min);
    return;
  }
  // Rounding keeps the order, so that who is in a later bucket is not smaller. The width may not be finite: then in halves.
  const scale = Number.isFinite(max - min) ? 1 : 0.5;
  // Not finite where the width is next to nothing.
  const perWidth = 1 / ((max * scale - min * scale) / BUCKETS);
  if (!Number.isFinite(perWidth)) {
    sortAll();
    return;
  }
  const buckets = { low: min * scale, scale, perWidth };
  const counts = new Uint32Array(BUCKETS);
  for (let from = 0; from < values.length; from += STEP) {
    countBuckets(values.subarray(from, from + STEP), buckets, counts);
    await takeTurns();
  }
  const { wanted, next, size } = wantedBuckets(counts, below, places);
  const inside = new Float64Array(size);
  for (let from = 0; from < values.length; from += STEP) {
    takeWanted(values.subarray(from, from + STEP), buckets, next, inside);
    await takeTurns();
  }
  for (const one of wanted) {
    await placeValues(inside.subarray(one.from, one.to), one.below, one.places, found, takeTurns);
  }
}

function countBuckets(values: Float64Array, { low, scale, perWidth }: Buckets, counts: Uint32Array): void {
  for (let at = 0, end = values.length; at < end; at += 1) {
    const bucket = Math.min(BUCKETS - 1, (((values[at] ?? 0) * scale - low) * perWidth) | 0);
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
}

/** The buckets with places, and by bucket where its next value goes, −1 for those without. */
function wantedBuckets(
  counts: Uint32Array,
  below: number,
  places: readonly number[],
): { wanted: Wanted[]; next: Int32Array; size: number } {
  const wanted: Wanted[] = [];
  const next = new Int32Array(BUCKETS).fill(-1);
  let [start, seen, size] = [below, 0, 0];
  for (let bucket = 0; seen < places.length && bucket < BUCKETS; bucket += 1) {
    const count = counts[bucket] ?? 0;
    const first = seen;
    while (seen < places.length && (places[seen] ?? 0) < start + count) seen += 1;
    if (seen > first) {
      wanted.push({ below: start, places: places.slice(first, seen), from: size, to: size + count });
      next[bucket] = size;
      size += count;
    }
    start += count;
  }
  return { wanted, next, size };
}

function takeWanted(
  values: Float64Array,
  { low, scale, perWidth }: Buckets,
  next: Int32Array,
  inside: Float64Array,
): void {
  for (let at = 0, end = values.length; at < end; at += 1) {
    const value = values[at] ?? 0;
    const bucket = Math.min(BUCKETS - 1, ((value * scale - low) * perWidth) | 0);
    const place = next[bucket] ?? -1;
    if (place < 0) continue;
    inside[place] = value;
    next[bucket] = place + 1;
  }
}
