export interface StoredFile {
  bytes: number;
  /** In hexadecimal digits. */
  sha256: string;
  /** The checksum of zip archives. */
  crc32: number;
  /** The entity tag of the object in the store; undefined if the bytes must be compared first. */
  entityTag: string | undefined;
}
