import type { Columns } from '../read-index/columns.ts';
import { inSteps } from '../read-index/slices.ts';

const HASHES = 2 ** 32;

/** Returns a number from 0 to 2³² − 1 that is distinct for each record id. Samples by it do not depend on the data. */
export function hashOfId(recordId: number): number {
  // The finalizer of MurmurHash3, which is a permutation of 32 bits.
  let hash = recordId;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Returns a sample of `size` rows, in their order: those whose record ids have the smallest hashes. */
export async function sampleRows(
  { recordId }: Pick<Columns, 'recordId'>,
  rows: Int32Array,
  size: number,
): Promise<Int32Array> {
  if (rows.length <= size) return rows;
  // Twice the expected largest hash, so that one pass almost always suffices.
  for (let bound = (2 * HASHES * size) / rows.length; ; bound *= 2) {
    const candidates: number[] = [];
    await inSteps(rows, (slots) => {
      for (let at = 0, end = slots.length; at < end; at += 1) {
        const slot = slots[at] ?? 0;
        if (hashOfId(recordId[slot] ?? 0) <= bound) candidates.push(slot);
      }
    });
    if (candidates.length < size) continue;
    const hashes = Uint32Array.from(candidates, (slot) => hashOfId(recordId[slot] ?? 0));
    const last = hashes.toSorted()[size - 1] ?? 0;
    return Int32Array.from(candidates.filter((_, at) => (hashes[at] ?? 0) <= last));
  }
}
