import {
  type Bitmap,
  clearBit,
  emptyBitmap,
  emptySlotList,
  forEachBit,
  hasBit,
  intersect,
  setBit,
  type SlotList,
  subtract,
  unite,
} from './bitmap.ts';

/**
 * The values of one feature in a segment, with range-encoded bitmaps (Chan and Ioannidis, SIGMOD 1999): values are binned by
 * quantile, and bitmap j has the slots with a value in bin j or below. A range is then two bitmaps, but for the two bins that
 * its ends cut. These consist of parts, whose slots are listed part by part: so few slots are looked at by value, each of which is
 * a read far from all others in memory.
 */
export interface FeatureColumn {
  /** By slot; NaN where there is none. */
  readonly values: Float64Array;
  /** How many slots have a value. */
  readonly filled: number;
  /** Ascending bins without gaps in their order; none in a segment so small that values are compared one by one. */
  readonly bins: readonly Bin[];
  readonly parts: Parts;
}

interface Bin {
  /** The smallest and the largest value in it. */
  readonly low: number;
  readonly high: number;
  /** The slots with a value in it or in one before it. */
  readonly upTo: Bitmap;
}

/** Of each part of a bin, one bin after the other, which have `perBin` each but for the last one. */
interface Parts {
  readonly perBin: number;
  /** The smallest and the largest value in it. */
  readonly lows: Float64Array;
  readonly highs: Float64Array;
  /** Where its slots begin; one more at the end. */
  readonly starts: Uint32Array;
  readonly slots: SlotList;
}

const MAX_BINS = 64;
const PARTS_A_BIN = 16;
/** Fewer values in a bin are compared as fast one by one. */
const VALUES_A_BIN = 512;
/** A segment with fewer slots has no bins. */
const LEAST_SLOTS = 4_096;
/** Values of which quantiles are taken. */
const SAMPLE = 4_096;

const NO_PARTS: Parts = {
  perBin: 1,
  lows: new Float64Array(),
  highs: new Float64Array(),
  starts: new Uint32Array(1),
  slots: new Uint16Array(),
};

export function featureColumn(values: Float64Array): FeatureColumn {
  let [filled, max] = [0, -Infinity];
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    filled += 1;
    if (value > max) max = value;
  }
  if (values.length < LEAST_SLOTS) return { values, filled, bins: [], parts: NO_PARTS };
  const edges = partEdges(values, filled, max);
  const { perBin, lows, highs, starts, slots } = partsOf(values, edges, filled);
  const bins: Bin[] = [];
  for (let first = 0; first < edges.length; first += perBin) {
    const end = Math.min(first + perBin, edges.length);
    const upTo = emptyBitmap(values.length);
    for (let at = starts[first] ?? 0; at < (starts[end] ?? 0); at += 1) setBit(upTo, slots[at] ?? 0);
    const before = bins.at(-1);
    if (before) unite(upTo, before.upTo);
    bins.push({ low: lows[first] ?? 0, high: highs[end - 1] ?? 0, upTo });
  }
  return { values, filled, bins, parts: { perBin, lows, highs, starts, slots } };
}

/** Puts the slots with a value in the order of the parts, each of which ends with an edge, by counting. */
function partsOf(values: Float64Array, edges: Float64Array, filled: number): Parts {
  const lows = new Float64Array(edges.length).fill(Infinity);
  const highs = new Float64Array(edges.length).fill(-Infinity);
  const starts = new Uint32Array(edges.length + 1);
  const partOfSlot = new Uint16Array(values.length);
  for (let slot = 0; slot < values.length; slot += 1) {
    const value = values[slot] ?? NaN;
    if (Number.isNaN(value)) continue;
    const part = firstAtLeast(edges, value);
    partOfSlot[slot] = part;
    if (value < (lows[part] ?? 0)) lows[part] = value;
    if (value > (highs[part] ?? 0)) highs[part] = value;
    starts[part + 1] = (starts[part + 1] ?? 0) + 1;
  }
  for (let part = 0; part < edges.length; part += 1) starts[part + 1] = (starts[part] ?? 0) + (starts[part + 1] ?? 0);
  /** Where the next slot of a part goes. */
  const next = starts.slice();
  const slots = emptySlotList(values.length, filled);
  for (let slot = 0; slot < values.length; slot += 1) {
    if (Number.isNaN(values[slot])) continue;
    const part = partOfSlot[slot] ?? 0;
    const place = next[part] ?? 0;
    slots[place] = slot;
    next[part] = place + 1;
  }
  return { perBin: Math.max(1, Math.ceil(edges.length / MAX_BINS)), lows, highs, starts, slots };
}

/** Values that end a part: quantiles of a sample, each once, and the largest of all. */
function partEdges(values: Float64Array, filled: number, max: number): Float64Array {
  if (filled === 0) return new Float64Array();
  const parts = PARTS_A_BIN * Math.min(MAX_BINS, Math.ceil(filled / VALUES_A_BIN));
  const stride = Math.max(1, Math.floor(filled / SAMPLE));
  const sample: number[] = [];
  let at = 0;
  for (const value of values) {
    if (!Number.isNaN(value) && at++ % stride === 0) sample.push(value);
  }
  const sorted = Float64Array.from(sample).sort();
  const edges = new Set<number>();
  for (let part = 1; part < parts; part += 1) {
    // Minus zero is zero.
    const edge = (sorted[Math.floor((part * sorted.length) / parts)] ?? max) + 0;
    if (edge < max) edges.add(edge);
  }
  return Float64Array.of(...edges, max);
}

/** The first of ascending numbers that is not below a value; their number where there is none. */
function firstAtLeast(ascending: Float64Array, value: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Takes the slots whose value is not in a range (bounds included) out of `bits`. */
export function narrowToRange({ bins, values, parts }: FeatureColumn, min: number, max: number, bits: Bitmap): void {
  if (values.length < LEAST_SLOTS) {
    forEachBit(bits, (slot) => {
      clearUnlessInRange(values, min, max, slot, bits);
    });
    return;
  }
  const { perBin, lows, highs, starts, slots } = parts;
  const first = firstAtLeast(highs, min);
  const atLeastMax = firstAtLeast(highs, max);
  const last = (lows[atLeastMax] ?? NaN) <= max ? atLeastMax : atLeastMax - 1;
  if (first > last) {
    bits.fill(0);
    return;
  }
  const [firstBin, lastBin] = [Math.floor(first / perBin), Math.floor(last / perBin)];
  const [upTo, below] = [bins[lastBin]?.upTo, bins[firstBin - 1]?.upTo];
  if (upTo) intersect(bits, upTo);
  if (below) subtract(bits, below);
  const clear = (from: number, to: number): void => {
    for (let at = starts[from] ?? 0, end = starts[to] ?? 0; at < end; at += 1) clearBit(bits, slots[at] ?? 0);
  };
  const compare = (part: number): void => {
    for (let at = starts[part] ?? 0, end = starts[part + 1] ?? 0; at < end; at += 1) {
      const slot = slots[at] ?? 0;
      if (hasBit(bits, slot)) clearUnlessInRange(values, min, max, slot, bits);
    }
  };
  clear(firstBin * perBin, first);
  clear(last + 1, Math.min((lastBin + 1) * perBin, lows.length));
  const isFirstCut = (lows[first] ?? 0) < min;
  if (isFirstCut) compare(first);
  if ((highs[last] ?? 0) > max && !(isFirstCut && first === last)) compare(last);
}

function clearUnlessInRange(values: Float64Array, min: number, max: number, slot: number, bits: Bitmap): void {
  const value = values[slot] ?? NaN;
  // A slot without a value, NaN, is in no range.
  if (!(value >= min && value <= max)) clearBit(bits, slot);
}
