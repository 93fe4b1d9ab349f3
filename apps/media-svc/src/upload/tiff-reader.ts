import { isUtf8 } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import { ServiceError } from '@esd/service/errors';
import { damagedImage } from './image-library.ts';

/** libtiff reads all directories of a TIFF to count its pages. */
const MAX_PAGES = 1_000;
const MAX_ENTRIES = 100_000;
const MAX_TEXT_BYTES = 65_536;

/** The tags that are read. */
export const TAG = {
  newSubfileType: 254,
  width: 256,
  height: 257,
  bitsPerSample: 258,
  photometric: 262,
  description: 270,
  xResolution: 282,
  yResolution: 283,
  resolutionUnit: 296,
  zeiss: 34_118,
  fei: 34_682,
  tescan: 50_431,
} as const;

type Tag = (typeof TAG)[keyof typeof TAG];

const TAGS = new Set<number>(Object.values(TAG));
const RATIONAL = 5;
/** Bytes of a value by its type: bytes, texts, integers, and rationals. */
const TYPE_BYTES: Readonly<Record<number, number>> = { 1: 1, 2: 1, 3: 2, 4: 4, [RATIONAL]: 8, 6: 1, 7: 1, 16: 8 };

/** The position of the first offset, and the bytes of a count of entries, an entry, and an offset. */
const CLASSIC = { first: 4, count: 2, entry: 12, offset: 4 };
const BIG_TIFF = { first: 8, count: 8, entry: 20, offset: 8 };

/** The entries of a directory by tag, each with the position of its values. The first entry of a tag counts, as in libtiff. */
export type TiffPage = ReadonlyMap<number, Readonly<Record<'type' | 'count' | 'at', number>>>;

export interface Tiff {
  pages: TiffPage[];
  /** Returns the first number of a tag, or undefined if the file does not contain it. */
  number: (page: TiffPage, tag: Tag) => Promise<number | undefined>;
  /** Returns at most 64 KiB of the text of a tag, without a line that does not end there. NUL becomes a line feed. */
  text: (page: TiffPage, tag: Tag) => Promise<string>;
}

/**
 * Reads the directories of a TIFF; returns undefined for another format. Throws PAYLOAD_TOO_LARGE for more pages or tags than
 * any microscope writes, which the library would process regardless of the time limit. Throws INVALID_REQUEST if a directory
 * is truncated, or if the directories form a loop.
 */
export async function readTiff(handle: FileHandle): Promise<Tiff | undefined> {
  const { size: fileBytes } = await handle.stat();
  const read = async (at: number, length: number): Promise<Buffer | undefined> =>
    at + length > fileBytes ? undefined : (await handle.read(Buffer.alloc(length), 0, length, at)).buffer;
  const head = await read(0, 16);
  if (head === undefined || !/^(?:II[*+]\0|MM\0[*+])/.test(head.toString('latin1'))) return undefined;
  const layout = head.subarray(2, 4).includes('+') ? BIG_TIFF : CLASSIC;
  const isLittle = head[0] === 0x49;
  const unsigned = (bytes: Buffer, at: number, length: number): number => {
    if (length === 8) return Number(isLittle ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at));
    return isLittle ? bytes.readUIntLE(at, length) : bytes.readUIntBE(at, length);
  };
  const readUnsigned = async (at: number, length: number): Promise<number | undefined> => {
    const bytes = await read(at, length);
    return bytes && unsigned(bytes, 0, length);
  };

  const pages: TiffPage[] = [];
  const offsets = new Set<number>();
  let entryCount = 0;
  let offset = unsigned(head, layout.first, layout.offset);
  while (offset > 0 && offset < fileBytes) {
    const count = await readUnsigned(offset, layout.count);
    if (count === undefined || offsets.has(offset)) throw damagedImage();
    offsets.add(offset);
    entryCount += count;
    if (pages.length >= MAX_PAGES || entryCount > MAX_ENTRIES) {
      throw new ServiceError(
        'PAYLOAD_TOO_LARGE',
        `The TIFF has more than ${MAX_PAGES} pages or ${MAX_ENTRIES} tags; send only the page that you need.`,
      );
    }
    const start = offset + layout.count;
    const directory = await read(start, count * layout.entry);
    if (directory === undefined) throw damagedImage();
    const page = new Map<number, Record<'type' | 'count' | 'at', number>>();
    for (let at = 0; at < directory.length; at += layout.entry) {
      const tag = unsigned(directory, at, 2);
      if (!TAGS.has(tag) || page.has(tag)) continue;
      const type = unsigned(directory, at + 2, 2);
      const values = unsigned(directory, at + 4, layout.offset);
      const valueAt = at + 4 + layout.offset;
      const isInline = values * (TYPE_BYTES[type] ?? 1) <= layout.offset;
      page.set(tag, {
        type,
        count: values,
        at: isInline ? start + valueAt : unsigned(directory, valueAt, layout.offset),
      });
    }
    pages.push(page);
    // Some programs omit the offset after the last directory.
    offset = (await readUnsigned(start + directory.length, layout.offset)) ?? 0;
  }

  return {
    pages,
    number: async (page, tag) => {
      const entry = page.get(tag);
      const bytes = entry && (await read(entry.at, TYPE_BYTES[entry.type] ?? Infinity));
      if (bytes === undefined) return undefined;
      return entry?.type === RATIONAL
        ? unsigned(bytes, 0, 4) / unsigned(bytes, 4, 4)
        : unsigned(bytes, 0, bytes.length);
    },
    text: async (page, tag) => {
      const entry = page.get(tag);
      if (!entry || TYPE_BYTES[entry.type] !== 1) return '';
      const bytes = (await read(entry.at, Math.min(entry.count, MAX_TEXT_BYTES))) ?? Buffer.alloc(0);
      const isCut = entry.count > MAX_TEXT_BYTES;
      const text = isCut ? bytes.subarray(0, Math.max(bytes.lastIndexOf('\n'), bytes.lastIndexOf('>')) + 1) : bytes;
      return text.toString(isUtf8(text) ? 'utf8' : 'latin1').replaceAll('\0', '\n');
    },
  };
}
