import { inSlices } from './take-turns.ts';

/** Sorted at once, and merged at once. */
const STEPS = 4_096;

/** The places 0 to `length` − 1 in the order of a comparison, in slices: sorted runs that are merged. Equal ones keep their order. */
export async function sortInSlices(
  length: number,
  compare: (one: number, other: number) => number,
): Promise<Uint32Array> {
  const takeTurns = inSlices();
  let order = new Uint32Array(length);
  for (let at = 0; at < length; at += 1) order[at] = at;
  for (let from = 0; from < length; from += STEPS) {
    order.subarray(from, from + STEPS).sort(compare);
    await takeTurns();
  }
  let merged = new Uint32Array(length > STEPS ? length : 0);
  for (let width = STEPS; width < length; width *= 2) {
    for (let from = 0; from < length; from += 2 * width) {
      const middle = Math.min(length, from + width);
      const end = Math.min(length, middle + width);
      let [left, right, at] = [from, middle, from];
      if (middle === end || compare(order[middle - 1] ?? 0, order[middle] ?? 0) <= 0) {
        // They are in order already.
        merged.set(order.subarray(from, end), from);
        at = end;
      }
      while (at < end) {
        for (const until = Math.min(end, at + STEPS); at < until; at += 1) {
          const isLeft = right === end || (left < middle && compare(order[left] ?? 0, order[right] ?? 0) <= 0);
          merged[at] = (isLeft ? order[left++] : order[right++]) ?? 0;
        }
        await takeTurns();
      }
    }
    [order, merged] = [merged, order];
  }
  return order;
}
