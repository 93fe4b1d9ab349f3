/** A file as it was stored under a key. */
export interface StoredFile {
  bytes: number;
  /** Hex. */
  sha256: string;
  /** As zip archives have it. */
  crc32: number;
  /** The store's entity tag of the object; undefined where its bytes are to be compared first. */
  entityTag: string | undefined;
}
