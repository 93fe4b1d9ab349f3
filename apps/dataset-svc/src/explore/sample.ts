import { inSteps } from '../read-index/take-turns.ts';

const BUCKET_BITS = 12;

/** Returns a number from 0 to 2³² − 1 that is distinct for each record id. Samples by it do not depend on the data. */
export function hashOfId(recordId: number): number {
  // The finalizer of MurmurHash3, which is a permutation of 32 bits.
  let hash = recordId;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Returns the largest hash of a sample: the `size` record ids with the smallest hashes. Infinity if the sample has all ids. */
export async function lastHashOf(recordIds: Int32Array, size: number): Promise<number> {
  if (recordIds.length <= size) return Infinity;
  const hashes = new Uint32Array(recordIds.length);
  const counts = new Uint32Array(2 ** BUCKET_BITS);
  let filled = 0;
  await inSteps(recordIds, (part) => {
    for (let at = 0, end = part.length; at < end; at += 1) {
      const hash = hashOfId(part[at] ?? 0);
      hashes[filled++] = hash;
      const bucket = bucketOf(hash);
      counts[bucket] = (counts[bucket] ?? 0) + 1;
    }
  });
  let [bucket, before] = [0, 0];
  while (before + (counts[bucket] ?? 0) < size) before += counts[bucket++] ?? 0;
  const inBucket = hashes.filter((hash) => bucketOf(hash) === bucket).sort();
  return inBucket[size - before - 1] ?? Infinity;
}

function bucketOf(hash: number): number {
  return hash >>> (32 - BUCKET_BITS);
}
