import type { Generated } from 'kysely';

/** The files that can be rebuilt. A row without `bytes` is a running or interrupted build. */
export interface BuiltFileTable {
  /** The hash of everything that determines the bytes. The name of the object contains it. */
  key: string;
  format: string;
  lease_id: string | null;
  lease_until: Date | null;
  bytes: number | null;
  sha256: string | null;
  crc32: number | null;
  /** The entity tag of the object in the store; null if the bytes must be compared first. */
  entity_tag: string | null;
  created_at: Generated<Date>;
  used_at: Generated<Date>;
}
