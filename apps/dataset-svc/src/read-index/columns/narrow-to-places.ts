import { type Bitmap, countBits, countCommon, forEachBit } from './bitmap.ts';
import { type FeatureColumn, narrowToRange } from './feature-column.ts';
import type { Selection } from './figures.ts';
import type { Segment } from './segment.ts';
import { narrowToIds, type TermColumn } from './term-column.ts';
import { inSlices } from './take-turns.ts';

export interface Narrowed {
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
 * A selection with the rows among which are those from one place to another in the order of a column, and few others: the bins of
 * the column bound how many rows have at most a value. Where that tells nothing it is the same selection.
 */
export async function narrowToPlaces(
  selection: Selection,
  columnOf: (segment: Segment) => FeatureColumn | undefined,
  descending: boolean,
  from: number,
  to: number,
): Promise<Narrowed> {
  const takeTurns = inSlices();
  const parts: Part[] = [];
  for (const { segment, bits } of selection.parts) {
    const column = columnOf(segment);
    if (!column) throw new Error('there is no such column');
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

/** The same in the order of a text key, by how many rows have each of its ids; `ranks` has the rank of each id. */
export async function narrowToTerms(
  selection: Selection,
  { term, ranks, descending }: { term: number; ranks: Int32Array; descending: boolean },
  from: number,
  to: number,
): Promise<Narrowed> {
  const takeTurns = inSlices();
  const counts = new Uint32Array(ranks.length);
  for (const { segment, bits, count } of selection.parts) {
    countRanks(termsOf(segment, term), count === segment.rows.length ? undefined : bits, ranks, counts);
    await takeTurns();
  }
  let [place, before] = [0, 0];
  /** The ranks at both ends. */
  const ends: number[] = [];
  for (let at = 0; at < counts.length && ends.length < 2; at += 1) {
    const rank = descending ? counts.length - 1 - at : at;
    const next = place + (counts[rank] ?? 0);
    if (ends.length === 0 && next > from) {
      ends.push(rank);
      before = place;
    }
    if (next >= to) ends.push(rank);
    place = next;
  }
  const [first, last] = ends;
  // Otherwise the page has rows without a text.
  if (first === undefined || last === undefined) return { selection, before: 0 };
  const [low, high] = [Math.min(first, last), Math.max(first, last)];
  const kept: { segment: Segment; bits: Bitmap; count: number }[] = [];
  for (const { segment, bits } of selection.parts) {
    const column = termsOf(segment, term);
    const ids = column.distinct.filter((id) => (ranks[id] ?? -1) >= low && (ranks[id] ?? -1) <= high);
    const narrowed = bits.slice();
    narrowToIds(column, ids, narrowed);
    kept.push({ segment, bits: narrowed, count: countBits(narrowed) });
    await takeTurns();
  }
  return { selection: { parts: kept }, before };
}

function termsOf(segment: Segment, term: number): TermColumn {
  const column = segment.terms[term];
  if (!column) throw new Error(`there is no text key ${term}`);
  return column;
}

/** Counts by rank the slots of a set, without one all, that have a text. */
function countRanks(
  { ids, distinct, counts: countsOfIds }: TermColumn,
  bits: Bitmap | undefined,
  ranks: Int32Array,
  counts: Uint32Array,
): void {
  const add = (id: number, count: number): void => {
    const rank = ranks[id] ?? 0;
    counts[rank] = (counts[rank] ?? 0) + count;
  };
  if (!bits) {
    for (const [at, id] of distinct.entries()) add(id, countsOfIds[at] ?? 0);
    return;
  }
  forEachBit(bits, (slot) => {
    const id = ids[slot] ?? 0;
    if (id !== 0) add(id, 1);
  });
}

/** The slots of a set whose value is in a range. */
function inRange(column: FeatureColumn, bits: Bitmap, min: number, max: number): Bitmap {
  const narrowed = bits.slice();
  narrowToRange(column, min, max, narrowed);
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
