import { takeTurns } from '../read-index/take-turns.ts';

const BUCKET_BITS = 12;
const STEP = 65_536;

/** Returns a number from 0 to 2³² − 1, a different one for each record id: it chooses a sample that does not depend on the data. */
export function hashOfId(recordId: number): number {
  // The finalizer of MurmurHash3, which is a permutation of 32 bits.
  let hash = recordId;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Returns the largest hash of a sample of `size` record ids: those with the smallest hashes; Infinity if there are no more ids. */
export async function lastHashOf(recordIds: Int32Array, size: number): Promise<number> {
  if (recordIds.length <= size) return Infinity;
  const hashes = Uint32Array.from(recordIds, hashOfId);
  await takeTurns();
  const bucketOf = (hash: number): number => hash >>> (32 - BUCKET_BITS);
  const counts = new Uint32Array(2 ** BUCKET_BITS);
  for (let at = 0; at < hashes.length; at += 1) {
    const bucket = bucketOf(hashes[at] ?? 0);
    counts[bucket] = (counts[bucket] ?? 0) + 1;
    if (at % STEP === 0) await takeTurns();
  }
  let [bucket, before] = [0, 0];
  while (before + (counts[bucket] ?? 0) < size) before += counts[bucket++] ?? 0;
  const inBucket = hashes.filter((hash) => bucketOf(hash) === bucket).sort();
  return inBucket[size - before - 1] ?? Infinity;
}
