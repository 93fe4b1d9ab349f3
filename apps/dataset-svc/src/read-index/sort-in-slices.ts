import { yieldAfterSlice } from './slices.ts';

/** The number of items that are sorted without a break. */
const RUN = 4_096;

/**
 * Sorts numbers in slices: sorts runs of 4,096 and merges them. The sort is stable. Merging runs that are already in order takes one
 * comparison, so a few new items after sorted ones are cheap.
 */
export async function sortInSlices(
  items: Int32Array,
  compare: (one: number, other: number) => number,
): Promise<Int32Array> {
  const { length } = items;
  let sorted = items.slice();
  for (let from = 0; from < length; from += RUN) {
    sorted.subarray(from, from + RUN).sort(compare);
    await yieldAfterSlice();
  }
  let merged = new Int32Array(length > RUN ? length : 0);
  for (let width = RUN; width < length; width *= 2) {
    for (let from = 0; from < length; from += 2 * width) {
      const middle = Math.min(length, from + width);
      const end = Math.min(length, middle + width);
      let [left, right, at] = [from, middle, from];
      if (middle === end || compare(sorted[middle - 1] ?? 0, sorted[middle] ?? 0) <= 0) {
        merged.set(sorted.subarray(from, end), from);
        at = end;
      }
      while (at < end) {
        for (const stop = Math.min(end, at + RUN); at < stop; at += 1) {
          const isLeft = right === end || (left < middle && compare(sorted[left] ?? 0, sorted[right] ?? 0) <= 0);
          merged[at] = (isLeft ? sorted[left++] : sorted[right++]) ?? 0;
        }
        await yieldAfterSlice();
      }
    }
    [sorted, merged] = [merged, sorted];
  }
  return sorted;
}
