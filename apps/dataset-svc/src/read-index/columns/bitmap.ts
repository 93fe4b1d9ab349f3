/** A set of slots of a segment: slot n is bit n % 32 of word n / 32. */
export type Bitmap = Int32Array<ArrayBuffer>;

/** Numbers of slots. */
export type SlotList = Uint16Array | Uint32Array;

/** How many slots have numbers of 16 bits. */
const SLOTS_OF_16_BITS = 0x1_0000;

/** Room for `length` of a segment's slots, of which there are `slots`. */
export function emptySlotList(slots: number, length: number): SlotList {
  return slots <= SLOTS_OF_16_BITS ? new Uint16Array(length) : new Uint32Array(length);
}

export function emptyBitmap(slots: number): Bitmap {
  return new Int32Array((slots + 31) >>> 5);
}

/** A copy of a set in a scratch buffer that is at least as long. */
export function copyInto(scratch: Bitmap, bits: Bitmap): Bitmap {
  const copy = scratch.length === bits.length ? scratch : scratch.subarray(0, bits.length);
  copy.set(bits);
  return copy;
}

export function setBit(bits: Bitmap, slot: number): void {
  const word = slot >>> 5;
  bits[word] = (bits[word] ?? 0) | (1 << (slot & 31));
}

export function clearBit(bits: Bitmap, slot: number): void {
  const word = slot >>> 5;
  bits[word] = (bits[word] ?? 0) & ~(1 << (slot & 31));
}

export function hasBit(bits: Bitmap, slot: number): boolean {
  return (((bits[slot >>> 5] ?? 0) >>> (slot & 31)) & 1) === 1;
}

/** How many of the 32 bits of a word are set (Hacker's Delight, 5-1); `| 0` keeps V8 from computing with doubles. */
function bitsOf(word: number): number {
  const pairs = (word - ((word >>> 1) & 0x5555_5555)) | 0;
  const fours = ((pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333)) | 0;
  return Math.imul(((fours + (fours >>> 4)) | 0) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}

/** How many slots the set has. */
export function countBits(bits: Bitmap): number {
  let count = 0;
  // Twice as fast as `for … of`.
  for (let word = 0, end = bits.length; word < end; word += 1) count = (count + bitsOf(bits[word] ?? 0)) | 0;
  return count;
}

/** How many slots of the set are below one. */
export function countBelow(bits: Bitmap, slot: number): number {
  const whole = slot >>> 5;
  return countBits(bits.subarray(0, whole)) + bitsOf((bits[whole] ?? 0) & ((1 << (slot & 31)) - 1));
}

/** How many slots both sets have. */
export function countCommon(bits: Bitmap, other: Bitmap): number {
  let count = 0;
  for (let word = 0; word < bits.length; word += 1) {
    count = (count + bitsOf((bits[word] ?? 0) & (other[word] ?? 0))) | 0;
  }
  return count;
}

/** Visits the slots of the set in ascending order. */
export function forEachBit(bits: Bitmap, visit: (slot: number) => void): void {
  for (let word = 0; word < bits.length; word += 1) {
    for (let left = bits[word] ?? 0; left !== 0; left &= left - 1) {
      visit((word << 5) + (31 - Math.clz32(left & -left)));
    }
  }
}

/** Writes the slots of the set, ascending, into an array that has room for them. */
export function writeSlots(bits: Bitmap, into: Int32Array): void {
  let filled = 0;
  for (let word = 0; word < bits.length; word += 1) {
    const first = word << 5;
    let left = bits[word] ?? 0;
    if (left === -1) {
      for (let bit = 0; bit < 32; bit += 1) into[filled++] = first + bit;
      continue;
    }
    for (; left !== 0; left &= left - 1) into[filled++] = first + (31 - Math.clz32(left & -left));
  }
}

/** The slots of the set from its `from`-th (counted from 0) up to before its `to`-th, ascending. */
export function slotsBetween(bits: Bitmap, from: number, to: number): number[] {
  const slots: number[] = [];
  let seen = 0;
  for (let word = 0; word < bits.length && seen < to; word += 1) {
    let left = bits[word] ?? 0;
    const held = bitsOf(left);
    if (seen + held > from) {
      for (let at = seen; left !== 0 && at < to; left &= left - 1, at += 1) {
        if (at >= from) slots.push((word << 5) + (31 - Math.clz32(left & -left)));
      }
    }
    seen += held;
  }
  return slots;
}

/** Leaves in `bits` what is in `other`, too. */
export function intersect(bits: Bitmap, other: Bitmap): void {
  for (let word = 0; word < bits.length; word += 1) bits[word] = (bits[word] ?? 0) & (other[word] ?? 0);
}

/** Takes what is in `other` out of `bits`. */
export function subtract(bits: Bitmap, other: Bitmap): void {
  for (let word = 0; word < bits.length; word += 1) bits[word] = (bits[word] ?? 0) & ~(other[word] ?? 0);
}

/** Adds what is in `other` to `bits`. */
export function unite(bits: Bitmap, other: Bitmap): void {
  for (let word = 0; word < bits.length; word += 1) bits[word] = (bits[word] ?? 0) | (other[word] ?? 0);
}
