import type { Generated } from 'kysely';

/** A file that can be built again. Without `bytes` it is not there: it is being built under the lease, or was not built to its end. */
export interface BuiltFileTable {
  /** Hash of all that decides its bytes; also its name in the store. */
  key: string;
  format: string;
  lease_id: string | null;
  lease_until: Date | null;
  bytes: number | null;
  sha256: string | null;
  crc32: number | null;
  /** Of the object in the store. */
  entity_tag: string | null;
  created_at: Generated<Date>;
  used_at: Generated<Date>;
}
