import { type Bitmap, emptyBitmap, setBit } from './bitmap.ts';

/** The dictionary-coded texts of a segment for one text key, with the slots (postings) of each id. */
export interface TermColumn {
  /** By slot: an id of index_term, 0 where there is none. */
  readonly ids: Int32Array;
  /** The ids that occur, ascending; without 0. */
  readonly distinct: Int32Array;
  /** Where the slots of each of them begin; one more at the end. */
  readonly starts: Uint32Array;
  readonly slots: Uint16Array | Uint32Array;
}

const MAX_SMALL = 0x1_0000;

/** Builds the postings by counting. */
export function termColumn(ids: Int32Array): TermColumn {
  let [lowest, highest, filled] = [Infinity, 0, 0];
  for (const id of ids) {
    if (id === 0) continue;
    filled += 1;
    if (id < lowest) lowest = id;
    if (id > highest) highest = id;
  }
  if (filled === 0) {
    return { ids, distinct: new Int32Array(), starts: new Uint32Array(1), slots: new Uint16Array() };
  }
  /** First how often each id occurs, then where its next slot goes. */
  const next = new Uint32Array(highest - lowest + 1);
  for (const id of ids) if (id !== 0) next[id - lowest] = (next[id - lowest] ?? 0) + 1;
  const distinct: number[] = [];
  const starts: number[] = [];
  let begin = 0;
  for (let at = 0; at < next.length; at += 1) {
    const count = next[at] ?? 0;
    if (count === 0) continue;
    distinct.push(at + lowest);
    starts.push(begin);
    next[at] = begin;
    begin += count;
  }
  starts.push(begin);
  const slots = ids.length <= MAX_SMALL ? new Uint16Array(filled) : new Uint32Array(filled);
  for (let slot = 0; slot < ids.length; slot += 1) {
    const id = ids[slot] ?? 0;
    if (id === 0) continue;
    const place = next[id - lowest] ?? 0;
    slots[place] = slot;
    next[id - lowest] = place + 1;
  }
  return { ids, distinct: Int32Array.from(distinct), starts: Uint32Array.from(starts), slots };
}

/** The slots that have one of the ids, which are ascending. */
export function slotsWithIds({ ids: { length }, distinct, starts, slots }: TermColumn, ids: Int32Array): Bitmap {
  const bits = emptyBitmap(length);
  let [at, wanted] = [0, 0];
  while (at < distinct.length && wanted < ids.length) {
    const [own, id] = [distinct[at] ?? 0, ids[wanted] ?? 0];
    if (own < id) at = placeOf(distinct, id, at);
    else if (own > id) wanted = placeOf(ids, own, wanted);
    else {
      const end = starts[at + 1] ?? 0;
      for (let place = starts[at] ?? 0; place < end; place += 1) setBit(bits, slots[place] ?? 0);
      at += 1;
      wanted += 1;
    }
  }
  return bits;
}

/** Takes the slots that have a text out of a set. */
export function takeOutSlots({ slots }: TermColumn, bits: Bitmap): void {
  for (const slot of slots) bits[slot >>> 5] = (bits[slot >>> 5] ?? 0) & ~(1 << (slot & 31));
}

/** Where an id is in ascending ids, or would be, from a place on: by steps that double, then by halves. */
function placeOf(ids: Int32Array, id: number, from: number): number {
  let [low, step] = [from, 1];
  while (low + step < ids.length && (ids[low + step] ?? 0) < id) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step, ids.length);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ids[middle] ?? 0) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}
