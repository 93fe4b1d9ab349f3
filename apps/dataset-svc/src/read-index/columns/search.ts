import { type Bitmap, countBelow, emptyBitmap, forEachBit, slotsBetween } from './bitmap.ts';
import type { ColumnView } from './column-index.ts';
import { placeOfRecord } from './row-columns.ts';
import type { ColumnCondition, Segment } from './segment.ts';
import { inSlices } from './take-turns.ts';

/** What matches of the records from one segment's first to the next one's. */
export interface Matched {
  segment: Segment;
  /** Until the next segment's. */
  bits: Bitmap;
  /** How many match in all, in the segment and in the tail. */
  count: number;
  /** Slots of the tail, by record id. */
  tailSlots: readonly number[];
}

/** A page of what matches, by ascending record id. */
export interface FoundPage {
  /** How many rows match in all. */
  total: number;
  rowIds: number[];
  /** How many of those that match have at most the record id after which the page begins. */
  before: number;
  /** Of the last row of the page; undefined for an empty one. */
  lastRecordId: number | undefined;
}

/** The page from the `skip`-th row on of those that match, or of those of them with a record id above `after`. */
export async function findPage(
  view: ColumnView,
  conditions: readonly ColumnCondition[],
  skip: number,
  limit: number,
  after = 0,
): Promise<FoundPage> {
  const takeTurns = inSlices();
  const rowIds: number[] = [];
  let [total, before] = [0, 0];
  let lastRecordId: number | undefined;
  for (const matched of matches(view, conditions)) {
    // Segments follow each other by record id: this is all that comes before the page as soon as some of it comes after.
    before += countUpTo(view, matched, after);
    const from = Math.max(0, before + skip - total);
    const to = Math.min(matched.count, before + skip + limit - total);
    if (from < to) {
      rowIds.push(...valuesBetween(view, matched, from, to, 'rowId'));
      [lastRecordId] = valuesBetween(view, matched, to - 1, to, 'recordId');
    }
    total += matched.count;
    await takeTurns();
  }
  return { total, rowIds, before, lastRecordId };
}

/** The row ids of all that match, by ascending record id. */
export async function findAll(view: ColumnView, conditions: readonly ColumnCondition[]): Promise<Int32Array> {
  const takeTurns = inSlices();
  const parts: number[][] = [];
  for (const matched of matches(view, conditions)) {
    if (matched.count > 0) parts.push(valuesBetween(view, matched, 0, matched.count, 'rowId'));
    await takeTurns();
  }
  const all = new Int32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** What matches, segment by segment, by ascending record id. */
export function* matches(
  { revision, segments, tail }: ColumnView,
  conditions: readonly ColumnCondition[],
): Generator<Matched> {
  const tailSlots: number[] = [];
  forEachBit(tail.match(conditions, revision).bits, (slot) => tailSlots.push(slot));
  const scratch = emptyBitmap(segments.reduce((most, { rows }) => Math.max(most, rows.length), 0));
  let from = 0;
  for (const [at, segment] of segments.entries()) {
    const next = segments[at + 1]?.rows.recordId[0] ?? Infinity;
    let to = from;
    while (to < tailSlots.length && (tail.rows.recordId[tailSlots[to] ?? 0] ?? 0) < next) to += 1;
    const { bits, count } = segment.match(conditions, revision, scratch);
    yield { segment, bits, count: count + to - from, tailSlots: tailSlots.slice(from, to) };
    from = to;
  }
}

/** How many of what matches have at most a record id. */
function countUpTo({ tail }: ColumnView, { segment, bits, tailSlots }: Matched, recordId: number): number {
  if (recordId <= 0) return 0;
  const above = tailSlots.findIndex((slot) => (tail.rows.recordId[slot] ?? 0) > recordId);
  return countBelow(bits, placeOfRecord(segment.rows, recordId + 1)) + (above < 0 ? tailSlots.length : above);
}

function valuesBetween(
  { tail }: ColumnView,
  matched: Matched,
  from: number,
  to: number,
  column: 'rowId' | 'recordId',
): number[] {
  const { segment, bits, tailSlots } = matched;
  const { [column]: values, recordId } = segment.rows;
  if (tailSlots.length === 0) return slotsBetween(bits, from, to).map((slot) => values[slot] ?? 0);
  let other = tailBefore(tail, matched, from);
  const slots = slotsBetween(bits, from - other, to - other);
  const merged: number[] = [];
  for (let own = 0; merged.length < to - from && (own < slots.length || other < tailSlots.length);) {
    const [slot, tailSlot] = [slots[own], tailSlots[other]];
    const isOwn =
      slot !== undefined && (tailSlot === undefined || (recordId[slot] ?? 0) < (tail.rows.recordId[tailSlot] ?? 0));
    merged.push((isOwn ? values[slot] : tail.rows[column][tailSlot ?? 0]) ?? 0);
    if (isOwn) own += 1;
    else other += 1;
  }
  return merged;
}

/** How many of the first `count` of what matches are of the tail. */
function tailBefore(tail: Segment, { segment, bits, tailSlots }: Matched, count: number): number {
  let [low, high] = [0, Math.min(count, tailSlots.length)];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const recordId = tail.rows.recordId[tailSlots[middle] ?? 0] ?? 0;
    // Its place among all that match.
    if (countBelow(bits, placeOfRecord(segment.rows, recordId)) + middle < count) low = middle + 1;
    else high = middle;
  }
  return low;
}
