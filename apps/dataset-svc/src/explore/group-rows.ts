import { inSteps } from '../read-index/slices.ts';

/** Groups rows by a number below `size` with a counting sort, which is stable. Returns a part of the rows for each number. */
export async function groupRows(
  rows: Int32Array,
  groupOf: (slot: number) => number,
  size: number,
): Promise<Int32Array[]> {
  const groups = new Int32Array(rows.length);
  const counts = new Int32Array(size);
  let counted = 0;
  await inSteps(rows, (part) => {
    for (let at = 0, end = part.length; at < end; at += 1) {
      const group = groupOf(part[at] ?? 0);
      groups[counted++] = group;
      counts[group] = (counts[group] ?? 0) + 1;
    }
  });
  let sum = 0;
  const next = counts.map((count) => (sum += count) - count);
  const grouped = new Int32Array(rows.length);
  let moved = 0;
  await inSteps(rows, (part) => {
    for (let at = 0, end = part.length; at < end; at += 1) {
      const group = groups[moved++] ?? 0;
      const position = next[group] ?? 0;
      next[group] = position + 1;
      grouped[position] = part[at] ?? 0;
    }
  });
  // Each position has advanced to the end of its group.
  return Array.from(next, (to, group) => grouped.subarray(to - (counts[group] ?? 0), to));
}
