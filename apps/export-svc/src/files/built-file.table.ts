import type { Generated } from 'kysely';

/** A file that can be rebuilt. Without `bytes`, it is being built under the lease, or its build was interrupted. */
export interface BuiltFileTable {
  /** Hash of everything that determines its bytes; also its name in the store. */
  key: string;
  format: string;
  lease_id: string | null;
  lease_until: Date | null;
  bytes: number | null;
  sha256: string | null;
  crc32: number | null;
  /** The store's entity tag of the object. */
  entity_tag: string | null;
  created_at: Generated<Date>;
  used_at: Generated<Date>;
}
