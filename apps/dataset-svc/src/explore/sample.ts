/** A number from 0 to 2³² − 1 for a record id, another one for each: chooses a sample that does not depend on what the records say. */
export function hashOfId(recordId: number): number {
  // The finalizer of MurmurHash3, which is a permutation of 32 bits.
  let hash = recordId;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
