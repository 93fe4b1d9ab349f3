import {
  type Bitmap,
  clearBit,
  emptyBitmap,
  emptySlotList,
  intersect,
  setBit,
  type SlotList,
  subtract,
  unite,
} from './bitmap.ts';

/**
 * The dictionary-coded texts of a segment for one text key, with the slots of each id: a bitmap where that takes no more memory
 * than a list, as in roaring bitmaps (Chambi, Lemire, Kaser and Godin, 2016).
 */
export interface TermColumn {
  /** By slot: an id of index_term, 0 where there is none. */
  readonly ids: Int32Array;
  /** The ids that occur, ascending; without 0. */
  readonly distinct: Int32Array;
  /** How many slots each of them has. */
  readonly counts: Uint32Array;
  /** By place in `distinct`: the slots of an id that has many. */
  readonly bitmaps: readonly (Bitmap | undefined)[];
  /** The slots of all others, one id after the other. */
  readonly slots: SlotList;
  /** By place in `distinct`: where those of an id without a bitmap begin. */
  readonly starts: Uint32Array;
}

/** Builds the slots by counting. */
export function termColumn(ids: Int32Array): TermColumn {
  let [lowest, highest, filled] = [Infinity, 0, 0];
  for (const id of ids) {
    if (id === 0) continue;
    filled += 1;
    if (id < lowest) lowest = id;
    if (id > highest) highest = id;
  }
  if (filled === 0) {
    const none = new Uint32Array();
    return { ids, distinct: new Int32Array(), counts: none, bitmaps: [], slots: new Uint16Array(), starts: none };
  }
  const countOf = new Uint32Array(highest - lowest + 1);
  for (const id of ids) if (id !== 0) countOf[id - lowest] = (countOf[id - lowest] ?? 0) + 1;
  const bitsOfSlot = 8 * emptySlotList(ids.length, 0).BYTES_PER_ELEMENT;
  const [distinct, counts, starts]: [number[], number[], number[]] = [[], [], []];
  const bitmaps: (Bitmap | undefined)[] = [];
  /** By id: its place in `distinct`. */
  const placeOfId = new Uint32Array(countOf.length);
  let listed = 0;
  for (const [at, count] of countOf.entries()) {
    if (count === 0) continue;
    placeOfId[at] = distinct.length;
    distinct.push(at + lowest);
    counts.push(count);
    starts.push(listed);
    const hasMany = count * bitsOfSlot >= ids.length;
    bitmaps.push(hasMany ? emptyBitmap(ids.length) : undefined);
    if (!hasMany) listed += count;
  }
  const slots = emptySlotList(ids.length, listed);
  /** Where the next slot of an id goes. */
  const next = Uint32Array.from(starts);
  for (let slot = 0; slot < ids.length; slot += 1) {
    const id = ids[slot] ?? 0;
    if (id === 0) continue;
    const at = placeOfId[id - lowest] ?? 0;
    const bits = bitmaps[at];
    if (bits) setBit(bits, slot);
    else {
      const place = next[at] ?? 0;
      slots[place] = slot;
      next[at] = place + 1;
    }
  }
  return {
    ids,
    distinct: Int32Array.from(distinct),
    counts: Uint32Array.from(counts),
    bitmaps,
    slots,
    starts: Uint32Array.from(starts),
  };
}

/** Leaves in `bits` the slots that have one of the ids, which are ascending; tells whether there may be some. */
export function narrowToIds(
  { distinct, counts, bitmaps, slots, starts }: TermColumn,
  ids: Int32Array,
  bits: Bitmap,
): boolean {
  const many: Bitmap[] = [];
  /** Places of ids in `distinct` whose slots are listed. */
  const few: number[] = [];
  let [at, wanted] = [0, 0];
  while (at < distinct.length && wanted < ids.length) {
    const [own, id] = [distinct[at] ?? 0, ids[wanted] ?? 0];
    if (own < id) at = placeOf(distinct, id, at);
    else if (own > id) wanted = placeOf(ids, own, wanted);
    else {
      const bitmap = bitmaps[at];
      if (bitmap) many.push(bitmap);
      else few.push(at);
      at += 1;
      wanted += 1;
    }
  }
  const [first] = many;
  if (!first && few.length === 0) return false;
  if (first && many.length === 1 && few.length === 0) {
    intersect(bits, first);
    return true;
  }
  const union = emptyUnion(bits.length);
  if (first) union.set(first);
  for (const other of many.slice(1)) unite(union, other);
  for (const place of few) {
    const start = starts[place] ?? 0;
    const end = start + (counts[place] ?? 0);
    for (let listed = start; listed < end; listed += 1) setBit(union, slots[listed] ?? 0);
  }
  intersect(bits, union);
  return true;
}

// Memory outside of V8's heap is asked for once: the more of it is asked for, the more often V8 collects garbage.
let scratch: Bitmap = new Int32Array();

function emptyUnion(words: number): Bitmap {
  if (scratch.length < words) scratch = new Int32Array(words);
  return scratch.subarray(0, words).fill(0);
}

/** Takes the slots that have a text out of a set. */
export function takeOutTexts({ bitmaps, slots }: TermColumn, bits: Bitmap): void {
  for (const bitmap of bitmaps) if (bitmap) subtract(bits, bitmap);
  for (const slot of slots) clearBit(bits, slot);
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
