import { type Bitmap, emptyBitmap, intersect, setBit } from './bitmap.ts';

/**
 * The values of one feature in a segment, with range-encoded bitmaps (Chan and Ioannidis, SIGMOD 1999): values are binned by
 * quantile, and bitmap j has the slots with a value in bin j or below. A range is then two bitmaps, and only the slots of the two
 * bins that its ends cut are looked at by value.
 */
export interface FeatureColumn {
  /** By slot; NaN where there is none. */
  readonly values: Float64Array;
  /** How many slots have a value. */
  readonly filled: number;
  /** Ascending bins without gaps in their order; none in a segment so small that values are compared one by one. */
  readonly bins: readonly Bin[];
}

interface Bin {
  /** The smallest and the largest value in it. */
  readonly low: number;
  readonly high: number;
  /** The slots with a value in it or in one before it. */
  readonly upTo: Bitmap;
}

const MAX_BINS = 64;
/** Fewer values in a bin are compared as fast one by one. */
const VALUES_A_BIN = 512;
/** A segment with fewer slots has no bins. */
const LEAST_SLOTS = 4_096;
/** Values of which quantiles are taken. */
const SAMPLE = 4_096;

export function featureColumn(values: Float64Array): FeatureColumn {
  let [filled, max] = [0, -Infinity];
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    filled += 1;
    if (value > max) max = value;
  }
  if (values.length < LEAST_SLOTS) return { values, filled, bins: [] };
  const edges = binEdges(values, filled, max);
  const lows = new Float64Array(edges.length).fill(Infinity);
  const highs = new Float64Array(edges.length).fill(-Infinity);
  const bitmaps = Array.from(edges, () => emptyBitmap(values.length));
  for (let slot = 0; slot < values.length; slot += 1) {
    const value = values[slot] ?? NaN;
    if (Number.isNaN(value)) continue;
    const bin = firstAtLeast(edges, value);
    if (value < (lows[bin] ?? 0)) lows[bin] = value;
    if (value > (highs[bin] ?? 0)) highs[bin] = value;
    const bits = bitmaps[bin];
    if (bits) setBit(bits, slot);
  }
  let before: Bitmap | undefined;
  for (const bits of bitmaps) {
    if (before) for (let word = 0; word < bits.length; word += 1) bits[word] = (bits[word] ?? 0) | (before[word] ?? 0);
    before = bits;
  }
  return { values, filled, bins: bitmaps.map((upTo, at) => ({ low: lows[at] ?? 0, high: highs[at] ?? 0, upTo })) };
}

/** Values that end a bin: quantiles of a sample, each once, and the largest of all. */
function binEdges(values: Float64Array, filled: number, max: number): Float64Array {
  if (filled === 0) return new Float64Array();
  const bins = Math.min(MAX_BINS, Math.ceil(filled / VALUES_A_BIN));
  const stride = Math.max(1, Math.floor(filled / SAMPLE));
  const sample: number[] = [];
  let at = 0;
  for (const value of values) {
    if (!Number.isNaN(value) && at++ % stride === 0) sample.push(value);
  }
  const sorted = Float64Array.from(sample).sort();
  const edges = new Set<number>();
  for (let bin = 1; bin < bins; bin += 1) {
    // Minus zero is zero.
    const edge = (sorted[Math.floor((bin * sorted.length) / bins)] ?? max) + 0;
    if (edge < max) edges.add(edge);
  }
  return Float64Array.of(...edges, max);
}

/** The first of ascending numbers that is not below a value. */
function firstAtLeast(edges: Float64Array, value: number): number {
  let [low, high] = [0, edges.length - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((edges[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Some of a segment's slots: those in one set that are not in another one. */
export interface Cut {
  readonly upTo: Bitmap;
  readonly below: Bitmap | undefined;
}

/**
 * Takes slots whose value cannot be in a range (bounds included) out of `bits`, by whole bins; what is left is looked at by
 * value in the bins that are returned: the range ends inside of them.
 */
export function narrowByBins({ bins, values }: FeatureColumn, min: number, max: number, bits: Bitmap): readonly Cut[] {
  if (values.length < LEAST_SLOTS) return [{ upTo: bits, below: undefined }];
  const first = bins.findIndex(({ high }) => high >= min);
  const last = bins.findLastIndex(({ low }) => low <= max);
  const [lowest, highest] = [bins[first], bins[last]];
  if (lowest === undefined || highest === undefined || first > last) {
    bits.fill(0);
    return [];
  }
  const below = bins[first - 1]?.upTo;
  const { upTo } = highest;
  if (below === undefined) intersect(bits, upTo);
  else {
    for (let word = 0; word < bits.length; word += 1) {
      bits[word] = (bits[word] ?? 0) & (upTo[word] ?? 0) & ~(below[word] ?? 0);
    }
  }
  const cuts: Cut[] = [];
  if (lowest.low < min) cuts.push({ upTo: lowest.upTo, below });
  if (highest.high > max && (first !== last || cuts.length === 0)) cuts.push({ upTo, below: bins[last - 1]?.upTo });
  return cuts;
}

/** Takes slots out of `bits` that are in the cut and whose value is not in the range (bounds included). */
export function narrowByValue({ values }: FeatureColumn, min: number, max: number, cut: Cut, bits: Bitmap): void {
  const { upTo, below } = cut;
  for (let word = 0; word < bits.length; word += 1) {
    let kept = bits[word] ?? 0;
    if (kept === 0) continue;
    let left = kept & (upTo[word] ?? 0);
    if (below !== undefined) left &= ~(below[word] ?? 0);
    for (; left !== 0; left &= left - 1) {
      const value = values[(word << 5) + (31 - Math.clz32(left & -left))] ?? NaN;
      // A slot without a value, NaN, is in no range.
      if (!(value >= min && value <= max)) kept &= ~(left & -left);
    }
    bits[word] = kept;
  }
}
