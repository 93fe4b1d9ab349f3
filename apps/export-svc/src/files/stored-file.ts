/** A file as it was stored under a key. */
export interface StoredFile {
  bytes: number;
  /** Hex. */
  sha256: string;
  /** The store's entity tag of the object; absent where the former release stored it. */
  entityTag: string | undefined;
}
