export interface ZipEntry<Content> {
  name: string;
  bytes: number;
  crc32: number;
  content: Content;
}

/** A header of the archive, or the content of a file. */
export type ZipPart<Content> = { bytes: number } & ({ header: Buffer } | { content: Content });

const MAX_32 = 0xffffffff;
const MAX_16 = 0xffff;
const UTF_8_NAMES = 0x0800;
const VERSION = 20;
const VERSION_ZIP64 = 45;
const UNIX = 3;
const REGULAR_FILE = 0o100644;
const ZIP64_EXTRA = 0x0001;

/**
 * Lays out a zip archive of uncompressed files (PKWARE APPNOTE 6.3.10, section 4.3; ZIP64 beyond 4 GB). Its length and
 * layout are known before any file is read. All entries have the same date.
 */
export function storedZip<Content>(entries: readonly ZipEntry<Content>[], date: Date): ZipPart<Content>[] {
  const parts: ZipPart<Content>[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  const add = (part: ZipPart<Content>): void => {
    parts.push(part);
    offset += part.bytes;
  };
  for (const entry of entries) {
    directory.push(directoryHeader(entry, offset, date));
    const header = localHeader(entry, date);
    add({ header, bytes: header.length });
    add({ content: entry.content, bytes: entry.bytes });
  }
  const central = Buffer.concat(directory);
  const end = endOfDirectory(entries.length, central.length, offset);
  const header = Buffer.concat([central, end]);
  add({ header, bytes: header.length });
  return parts;
}

/** Returns the local file header (4.3.7). */
function localHeader({ name, bytes, crc32 }: ZipEntry<unknown>, date: Date): Buffer {
  const path = Buffer.from(name);
  const extra = zip64Extra(bytes >= MAX_32 ? [bytes, bytes] : []);
  return Buffer.concat([
    fields([4, 0x04034b50]),
    common({ bytes, crc32 }, date, extra.length > 0),
    fields([2, path.length], [2, extra.length]),
    path,
    extra,
  ]);
}

/** Returns the central directory header (4.3.12). */
function directoryHeader({ name, bytes, crc32 }: ZipEntry<unknown>, offset: number, date: Date): Buffer {
  const path = Buffer.from(name);
  const extra = zip64Extra([...(bytes >= MAX_32 ? [bytes, bytes] : []), ...(offset >= MAX_32 ? [offset] : [])]);
  return Buffer.concat([
    fields([4, 0x02014b50], [1, VERSION_ZIP64], [1, UNIX]),
    common({ bytes, crc32 }, date, extra.length > 0),
    // No comment, first disk, no internal attributes.
    fields([2, path.length], [2, extra.length], [2, 0], [2, 0], [2, 0]),
    fields([2, 0], [2, REGULAR_FILE], [4, Math.min(offset, MAX_32)]),
    path,
    extra,
  ]);
}

/** Returns the fields that both headers of an entry share, from the required version to the size. */
function common({ bytes, crc32 }: { bytes: number; crc32: number }, date: Date, isZip64: boolean): Buffer {
  const size = Math.min(bytes, MAX_32);
  return fields(
    [2, isZip64 ? VERSION_ZIP64 : VERSION],
    [2, UTF_8_NAMES],
    [2, 0],
    ...dosTime(date),
    [4, crc32],
    [4, size],
    [4, size],
  );
}

/** Returns the ZIP64 extra field (4.5.3) with the numbers that exceed their own fields, in order. */
function zip64Extra(numbers: readonly number[]): Buffer {
  if (numbers.length === 0) return Buffer.alloc(0);
  return fields([2, ZIP64_EXTRA], [2, numbers.length * 8], ...numbers.map((number) => [8, number] as const));
}

/** Returns the end of the central directory (4.3.14 to 4.3.16). */
function endOfDirectory(entries: number, bytes: number, offset: number): Buffer {
  const end = fields(
    [4, 0x06054b50],
    [4, 0],
    [2, Math.min(entries, MAX_16)],
    [2, Math.min(entries, MAX_16)],
    [4, Math.min(bytes, MAX_32)],
    [4, Math.min(offset, MAX_32)],
    [2, 0],
  );
  if (entries < MAX_16 && bytes < MAX_32 && offset < MAX_32) return end;
  const zip64 = fields(
    [4, 0x06064b50],
    [8, 44],
    [1, VERSION_ZIP64],
    [1, UNIX],
    [2, VERSION_ZIP64],
    [8, 0],
    [8, entries],
    [8, entries],
    [8, bytes],
    [8, offset],
  );
  return Buffer.concat([zip64, fields([4, 0x07064b50], [4, 0], [8, offset + bytes], [4, 1]), end]);
}

/** Returns the time and the date (4.4.6), in UTC. */
function dosTime(date: Date): [size: 2, value: number][] {
  const time = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1);
  const day = (Math.max(date.getUTCFullYear() - 1980, 0) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate();
  return [
    [2, time],
    [2, day],
  ];
}

/** Writes unsigned numbers, each with its size in bytes, in little-endian order. */
function fields(...values: (readonly [size: 1 | 2 | 4 | 8, value: number])[]): Buffer {
  const buffer = Buffer.alloc(values.reduce((bytes, [size]) => bytes + size, 0));
  let at = 0;
  for (const [size, value] of values) {
    if (size === 8) buffer.writeBigUInt64LE(BigInt(value), at);
    else buffer.writeUIntLE(value, at, size);
    at += size;
  }
  return buffer;
}
