import type { Generated, JSONColumnType } from 'kysely';

export interface BlobTable {
  sha256: string;
  folder: string;
  bytes: number;
  width: number;
  height: number;
  stretched: Generated<boolean>;
  stored_at: Generated<Date>;
}

export interface ImageTable {
  id: string;
  sha256: string;
  image_type: string | null;
  image_definition: JSONColumnType<Record<string, unknown> | null, string | null, string | null>;
  uploaded_at: Generated<Date>;
  client: string | null;
  account_id: string | null;
  record_id: number | null;
  since: Generated<Date>;
  confirmed_at: Date | null;
  /** Name of the reservation, which was made at `since`. */
  reserved_for: string | null;
  published_at: Date | null;
}
