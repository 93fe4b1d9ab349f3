export interface StoredFile {
  bytes: number;
  /** Hex. */
  sha256: string;
  /** As in zip archives. */
  crc32: number;
  /** The store's entity tag of the object; undefined if its bytes must be compared first. */
  entityTag: string | undefined;
}
