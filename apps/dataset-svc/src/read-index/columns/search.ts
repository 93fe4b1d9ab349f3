import { type Bitmap, forEachBit, slotsBetween } from './bitmap.ts';
import type { ColumnView } from './column-index.ts';
import type { ColumnCondition, Segment } from './segment.ts';
import { inSlices } from './take-turns.ts';

/** What matches of the records from one segment's first to the next one's. */
interface Matched {
  segment: Segment;
  bits: Bitmap;
  /** How many match in all, in the segment and in the tail. */
  count: number;
  /** Slots of the tail, by record id. */
  tailSlots: readonly number[];
}

/** How many rows match, and the row ids of the page: by ascending record id, from `skip` on. */
export async function findPage(
  view: ColumnView,
  conditions: readonly ColumnCondition[],
  skip: number,
  limit: number,
): Promise<{ total: number; rowIds: number[] }> {
  const takeTurns = inSlices();
  const rowIds: number[] = [];
  let total = 0;
  for (const matched of matches(view, conditions)) {
    const from = Math.max(0, skip - total);
    const to = Math.min(matched.count, skip + limit - total);
    if (from < to) rowIds.push(...rowIdsBetween(view, matched, from, to));
    total += matched.count;
    await takeTurns();
  }
  return { total, rowIds };
}

/** The row ids of all that match, by ascending record id. */
export async function findAll(view: ColumnView, conditions: readonly ColumnCondition[]): Promise<Int32Array> {
  const takeTurns = inSlices();
  const parts: number[][] = [];
  for (const matched of matches(view, conditions)) {
    if (matched.count > 0) parts.push(rowIdsBetween(view, matched, 0, matched.count));
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

function* matches(
  { revision, segments, tail }: ColumnView,
  conditions: readonly ColumnCondition[],
): Generator<Matched> {
  const tailSlots: number[] = [];
  forEachBit(tail.match(conditions, revision).bits, (slot) => tailSlots.push(slot));
  let from = 0;
  for (const [at, segment] of segments.entries()) {
    const next = segments[at + 1]?.rows.recordId[0] ?? Infinity;
    let to = from;
    while (to < tailSlots.length && (tail.rows.recordId[tailSlots[to] ?? 0] ?? 0) < next) to += 1;
    const { bits, count } = segment.match(conditions, revision);
    yield { segment, bits, count: count + to - from, tailSlots: tailSlots.slice(from, to) };
    from = to;
  }
}

function rowIdsBetween({ tail }: ColumnView, matched: Matched, from: number, to: number): number[] {
  const { segment, bits, tailSlots } = matched;
  const { rowId, recordId } = segment.rows;
  if (tailSlots.length === 0) return slotsBetween(bits, from, to).map((slot) => rowId[slot] ?? 0);
  const slots = slotsBetween(bits, 0, to);
  const merged: number[] = [];
  let [own, other] = [0, 0];
  while (merged.length < to && own + other < slots.length + tailSlots.length) {
    const [slot, tailSlot] = [slots[own], tailSlots[other]];
    const isOwn =
      slot !== undefined && (tailSlot === undefined || (recordId[slot] ?? 0) < (tail.rows.recordId[tailSlot] ?? 0));
    merged.push((isOwn ? rowId[slot] : tail.rows.rowId[tailSlot ?? 0]) ?? 0);
    if (isOwn) own += 1;
    else other += 1;
  }
  return merged.slice(from);
}
