import type { Generated, JSONColumnType } from 'kysely';

/** The stored PNG of one or several images. */
export interface BlobTable {
  /** Of the PNG, hex. */
  sha256: string;
  /** Folder of its objects, UUID. */
  folder: string;
  bytes: number;
  width: number;
  height: number;
  stored_at: Generated<Date>;
}

export interface ImageTable {
  id: string;
  /** Of its blob. */
  sha256: string;
  image_type: string | null;
  image_definition: JSONColumnType<Record<string, unknown> | null, string | null, string | null>;
  uploaded_at: Generated<Date>;
  client: string | null;
  account_id: string | null;
  record_id: number | null;
  since: Generated<Date>;
  confirmed_at: Date | null;
  /** The reservation that holds it, since `since`. */
  reserved_for: string | null;
  published_at: Date | null;
}
