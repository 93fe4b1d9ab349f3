/** A file as it was stored under a key. */
export interface StoredFile {
  bytes: number;
  /** Hex. */
  sha256: string;
  /** As zip archives have it; absent where the former release stored it. */
  crc32: number | undefined;
  /** The store's entity tag of the object; absent where the former release stored it. */
  entityTag: string | undefined;
}
