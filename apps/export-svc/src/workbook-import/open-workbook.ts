import { posix } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { ServiceError } from '@esd/service/errors';
import { unreadableFile } from './unreadable-file.ts';

const MEGABYTE = 1024 * 1024;
const MAX_PARTS = 1_000;
/** The maximum unpacked size of a part. The sheet of 1,000 complete records takes about 5 MB. */
const MAX_PART_BYTES = 16 * MEGABYTE;
const MAX_BYTES = 128 * MEGABYTE;
/** The maximum compression ratio. A sheet of equal rows has about 100; Deflate reaches at most 1032. */
const MAX_RATIO = 300;

/** The parts of an Office Open XML package (ECMA-376 part 2) by name, without the leading slash. */
export interface Workbook {
  has(part: string): boolean;
  /** Unpacks a part. Throws ServiceError if the part does not match the directory of the archive. */
  read(part: string): Promise<Readable>;
}

/**
 * Opens an xlsx file. Checks the directory of the archive before it unpacks a part. Throws UNSUPPORTED_MEDIA_TYPE for
 * macros, encryption and other archives, PAYLOAD_TOO_LARGE for an excessive unpacked size, and INVALID_REQUEST for a
 * damaged archive.
 */
export async function openWorkbook(bytes: Buffer): Promise<Workbook> {
  const parts = new Map<string, Entry>();
  let zip: ZipFile;
  try {
    zip = await fromBufferPromise(bytes);
    if (zip.entryCount > MAX_PARTS) throw tooLarge(`it has ${zip.entryCount} parts; the limit is ${MAX_PARTS}`);
    for await (const entry of zip.eachEntry()) {
      if (parts.has(entry.fileName)) throw unreadableFile(`it has the part ${entry.fileName} twice.`);
      parts.set(entry.fileName, entry);
    }
  } catch (cause) {
    throw cause instanceof ServiceError ? cause : unreadableFile('its archive is damaged.', cause);
  }
  await refuseOpenDocument(zip, parts.get('mimetype'));
  refuseKind(parts);
  refuseSize([...parts.values()]);
  return {
    has: (part) => parts.has(part),
    read: async (part) => {
      const entry = parts.get(part);
      if (entry === undefined) throw unreadableFile(`it lacks the part ${part}.`);
      if (entry.uncompressedSize > MAX_PART_BYTES) {
        throw tooLarge(`${part} unpacks to ${entry.uncompressedSize} bytes; the limit is ${MAX_PART_BYTES}`);
      }
      try {
        // Throws if the part is larger than the directory of the archive states.
        return await zip.openReadStreamPromise(entry);
      } catch (cause) {
        throw unreadableFile(`its part ${part} is damaged.`, cause);
      }
    },
  };
}

const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument.spreadsheet';
/** A longer entry is no media type; the one of a template has a suffix. */
const MAX_MIMETYPE_BYTES = 200;

/** Refuses an OpenDocument sheet, which names its media type in the entry `mimetype` (OpenDocument 1.3, part 2, 3.3). */
async function refuseOpenDocument(zip: ZipFile, entry: Entry | undefined): Promise<void> {
  if (entry === undefined || entry.isEncrypted() || entry.uncompressedSize > MAX_MIMETYPE_BYTES) return;
  let type: string;
  try {
    type = await text(await zip.openReadStreamPromise(entry));
  } catch (cause) {
    throw unreadableFile('its part mimetype is damaged.', cause);
  }
  if (!type.startsWith(OPEN_DOCUMENT)) return;
  const message = 'This is an OpenDocument sheet; save it as an Excel workbook (.xlsx) or as CSV.';
  throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', message);
}

function refuseKind(parts: ReadonlyMap<string, Entry>): void {
  const names = [...parts.keys()];
  const refuse = (what: string): never => {
    throw new ServiceError(
      'UNSUPPORTED_MEDIA_TYPE',
      `${what}; save it as an Excel workbook (.xlsx) or as CSV in UTF-8.`,
    );
  };
  if (names.some((name) => posix.basename(name).toLowerCase() === 'vbaproject.bin'))
    refuse('The workbook contains macros');
  if ([...parts.values()].some((entry) => entry.isEncrypted())) refuse('The archive is encrypted');
  if (names.some((name) => name.toLowerCase() === 'xl/workbook.bin')) refuse('This is a binary workbook (.xlsb)');
  if (!parts.has('[Content_Types].xml') || !parts.has('_rels/.rels'))
    refuse('This is an archive, but not an Excel workbook');
}

function refuseSize(entries: readonly Entry[]): void {
  const total = entries.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0);
  if (total > MAX_BYTES) throw tooLarge(`it unpacks to ${total} bytes; the limit is ${MAX_BYTES}`);
  for (const { fileName, compressedSize, uncompressedSize } of entries) {
    if (uncompressedSize > MEGABYTE && uncompressedSize > MAX_RATIO * compressedSize) {
      throw tooLarge(
        `${fileName} unpacks to ${Math.floor(uncompressedSize / compressedSize)} times its size; the limit is ${MAX_RATIO}`,
      );
    }
  }
}

function tooLarge(what: string): ServiceError {
  return new ServiceError('PAYLOAD_TOO_LARGE', `The workbook is too large: ${what}.`);
}
