import { allRows, type IndexAtState, repeatGroups } from '../read-index/matching-rows.ts';
import { inSteps } from '../read-index/slices.ts';

/** Lists the ids of the records that each of some rows repeats or that repeat it: ascending, at most `limit` each. By slot. */
export async function repeatsOf(
  index: IndexAtState,
  slots: readonly number[],
  limit: number,
): Promise<ReadonlyMap<number, readonly number[]>> {
  const { first, size } = await repeatGroups(index);
  const { recordId } = index.columns;
  const found = new Map<number, number[]>(slots.map((slot) => [slot, []]));
  /** By the slot that represents a group: the ids of its records, of which one is left out of the result. */
  const groups = new Map<number, number[]>();
  for (const slot of slots) {
    const own = first[slot] ?? slot;
    if ((size[own] ?? 0) > 1) groups.set(own, []);
  }
  if (groups.size === 0) return found;
  await inSteps(await allRows(index), (part) => {
    for (let at = 0, end = part.length; at < end; at += 1) {
      const slot = part[at] ?? 0;
      const own = first[slot] ?? slot;
      if (size[own] === 1) continue;
      const ids = groups.get(own);
      if (ids && ids.length <= limit) ids.push(recordId[slot] ?? 0);
    }
  });
  for (const [slot, others] of found) {
    const ids = groups.get(first[slot] ?? slot) ?? [];
    others.push(...ids.filter((id) => id !== recordId[slot]).slice(0, limit));
  }
  return found;
}
