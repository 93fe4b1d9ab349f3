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

/** Values that are sorted at once. */
const SORTED = 8_192;
const BUCKETS = 1_024;
/** Values between two turns. */
const STEP = 65_536;

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

async function placeValues(
  values: Float64Array,
  /** How many values lie below all of these. */
  below: number,
  places: readonly number[],
  found: Map<number, number>,
  takeTurns: () => Promise<void> | undefined,
): Promise<void> {
  await takeTurns();
  if (values.length <= SORTED) {
    const sorted = values.slice().sort();
    for (const place of places) found.set(place, sorted[place - below] ?? NaN);
    return;
  }
  let [min, max] = [Infinity, -Infinity];
  for (let start = 0; start < values.length; start += STEP) {
    for (const value of values.subarray(start, start + STEP)) {
      if (value < min) min = value;
      if (value > max) max = value;
    }
    await takeTurns();
  }
  if (min === max) {
    for (const place of places) found.set(place, min);
    return;
  }
  // Rounding keeps the order, so that who is in a later bucket is not smaller. The width may not be finite: then in halves.
  const scale = Number.isFinite(max - min) ? 1 : 0.5;
  const width = (max * scale - min * scale) / BUCKETS;
  // Not finite where the width is next to nothing.
  const perWidth = 1 / width;
  if (!Number.isFinite(perWidth)) {
    const sorted = values.slice().sort();
    for (const place of places) found.set(place, sorted[place - below] ?? NaN);
    return;
  }
  const low = min * scale;
  const buckets = new Uint16Array(values.length);
  const counts = new Uint32Array(BUCKETS);
  for (let start = 0; start < values.length; start += STEP) {
    const end = Math.min(start + STEP, values.length);
    for (let at = start; at < end; at += 1) {
      const bucket = Math.min(BUCKETS - 1, (((values[at] ?? 0) * scale - low) * perWidth) | 0);
      buckets[at] = bucket;
      counts[bucket] = (counts[bucket] ?? 0) + 1;
    }
    await takeTurns();
  }
  const wanted: (Wanted | undefined)[] = Array.from({ length: BUCKETS });
  let start = below;
  for (const [bucket, count] of counts.entries()) {
    const inside = places.filter((place) => place >= start && place < start + count);
    if (inside.length > 0)
      wanted[bucket] = { below: start, places: inside, values: new Float64Array(count), filled: 0 };
    start += count;
  }
  for (let from = 0; from < values.length; from += STEP) {
    const end = Math.min(from + STEP, values.length);
    for (let at = from; at < end; at += 1) {
      const into = wanted[buckets[at] ?? 0];
      if (into) into.values[into.filled++] = values[at] ?? 0;
    }
    await takeTurns();
  }
  for (const into of wanted) {
    if (into) await placeValues(into.values, into.below, into.places, found, takeTurns);
  }
}

/** The values of a bucket in which places are looked for. */
interface Wanted {
  below: number;
  places: readonly number[];
  values: Float64Array;
  filled: number;
}
