import { type Bitmap, countBits, countCommon } from './bitmap.ts';
import { type FeatureColumn, narrowByBins, narrowByValue } from './feature-column.ts';
import type { Selection } from './figures.ts';
import type { Segment } from './segment.ts';
import { inSlices } from './take-turns.ts';

interface Narrowed {
  readonly selection: Pick<Selection, 'parts'>;
  /** How many rows come before all of the selection. */
  readonly before: number;
}

interface Part {
  segment: Segment;
  bits: Bitmap;
  column: FeatureColumn;
  /** How many of its rows have a value. */
  count: number;
}

/**
 * A selection with the rows among which are those from one place to another in the order of a feature, and few others: the bins of
 * the feature bound how many rows have at most a value. Where that tells nothing it is the same selection.
 */
export async function narrowToPlaces(
  selection: Selection,
  { feature, descending }: { feature: number; descending: boolean },
  from: number,
  to: number,
): Promise<Narrowed> {
  const takeTurns = inSlices();
  const parts: Part[] = [];
  for (const { segment, bits } of selection.parts) {
    const column = segment.features[feature];
    if (!column) throw new Error(`there is no feature ${feature}`);
    parts.push({ segment, bits, column, count: countBits(inRange(column, bits, -Infinity, Infinity)) });
    await takeTurns();
  }
  const present = parts.reduce((sum, { count }) => sum + count, 0);
  if (to > present) return { selection, before: 0 };
  // Both as places in ascending order.
  const [first, end] = descending ? [present - to, present - from] : [from, to];
  const edges = parts.flatMap(({ column }) => column.bins.map(({ high }) => high)).sort((a, b) => a - b);
  const atLeast = (value: number): number => sumOf(parts, (part) => certain(part, value));
  const atMost = (value: number): number => sumOf(parts, (part) => possible(part, value));
  const min = edges[firstWhere(edges, (edge) => atMost(edge) > first) - 1] ?? -Infinity;
  const max = edges[firstWhere(edges, (edge) => atLeast(edge) >= end)] ?? Infinity;
  await takeTurns();
  const kept: { segment: Segment; bits: Bitmap; count: number }[] = [];
  let notBefore = 0;
  for (const { segment, bits, column } of parts) {
    const narrowed = inRange(column, bits, min, max);
    kept.push({ segment, bits: narrowed, count: countBits(narrowed) });
    notBefore += countBits(descending ? inRange(column, bits, -Infinity, max) : inRange(column, bits, min, Infinity));
    await takeTurns();
  }
  return { selection: { parts: kept }, before: present - notBefore };
}

/** The slots of a set whose value is in a range. */
function inRange(column: FeatureColumn, bits: Bitmap, min: number, max: number): Bitmap {
  const narrowed = bits.slice();
  for (const cut of narrowByBins(column, min, max, narrowed)) narrowByValue(column, min, max, cut, narrowed);
  return narrowed;
}

/** At least so many rows have at most a value. */
function certain({ bits, column: { bins } }: Part, value: number): number {
  const last = bins.findLast(({ high }) => high <= value);
  return last ? countCommon(bits, last.upTo) : 0;
}

/** At most so many rows have at most a value. */
function possible({ bits, column: { bins }, count }: Part, value: number): number {
  if (bins.length === 0) return count;
  const last = bins.findLast(({ low }) => low <= value);
  return last ? countCommon(bits, last.upTo) : 0;
}

function sumOf(parts: readonly Part[], count: (part: Part) => number): number {
  return parts.reduce((sum, part) => sum + count(part), 0);
}

/** The first of ascending values of which something holds that holds of all after it too; their number when it holds of none. */
function firstWhere(values: readonly number[], holds: (value: number) => boolean): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(values[middle] ?? 0)) high = middle;
    else low = middle + 1;
  }
  return low;
}
