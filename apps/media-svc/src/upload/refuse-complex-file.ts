import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { ServiceError } from '@esd/service/errors';

/** Encoders write about ten scans. libjpeg processes the whole image for each, and cannot be interrupted. */
const MAX_SCANS = 100;
/** libtiff reads all directories of a TIFF to count its pages. */
const MAX_PAGES = 1_000;
const MAX_ENTRIES = 100_000;

const START_OF_SCAN = Buffer.from([0xff, 0xda]);

/**
 * Refuses a JPEG with more scans, or a TIFF with more pages or tags, than any camera or microscope writes. The library
 * would process all of them, regardless of the time limit. Throws PAYLOAD_TOO_LARGE.
 */
export async function refuseComplexFile(file: string): Promise<void> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(16), 0, 16, 0);
    const head = buffer.subarray(0, bytesRead);
    if (head.readUInt16BE(0) === 0xffd8) await refuseManyScans(file);
    else if (/^(II[*+]\0|MM\0[*+])/.test(head.toString('latin1'))) await refuseManyPages(handle, head);
  } catch (error) {
    // A truncated header, or not an image: the library reports it.
    if (!(error instanceof RangeError)) throw error;
  } finally {
    await handle.close();
  }
}

async function refuseManyScans(file: string): Promise<void> {
  let scans = 0;
  let last = Buffer.alloc(0);
  for await (const chunk of createReadStream(file)) {
    if (!Buffer.isBuffer(chunk)) throw new Error('expected the file as bytes');
    // Within scan data, the byte after 0xff is never 0xda.
    const bytes = Buffer.concat([last, chunk]);
    for (let at = bytes.indexOf(START_OF_SCAN); at >= 0; at = bytes.indexOf(START_OF_SCAN, at + 2)) {
      scans += 1;
      if (scans > MAX_SCANS) {
        throw new ServiceError(
          'PAYLOAD_TOO_LARGE',
          `The JPEG has more than ${MAX_SCANS} scans; save it as a PNG, or as a JPEG that is not progressive.`,
        );
      }
    }
    last = bytes.subarray(-1);
  }
}

async function refuseManyPages(handle: FileHandle, head: Buffer): Promise<void> {
  const isLittle = head[0] === 0x49;
  // BigTIFF has 64-bit offsets.
  const isBig = head.includes(0x2b);
  const layout = isBig ? { first: 8, count: 8, entry: 20, next: 8 } : { first: 4, count: 2, entry: 12, next: 4 };
  const number = (bytes: Buffer, at: number, length: number): number => {
    if (length === 8) return Number(isLittle ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at));
    return isLittle ? bytes.readUIntLE(at, length) : bytes.readUIntBE(at, length);
  };
  const read = async (at: number, length: number): Promise<number> => {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, at);
    return number(buffer.subarray(0, bytesRead), 0, length);
  };
  const { size } = await handle.stat();
  let offset = number(head, layout.first, layout.next);
  let entries = 0;
  for (let pages = 0; offset > 0 && offset < size; pages += 1) {
    const own = await read(offset, layout.count);
    entries += own;
    if (pages >= MAX_PAGES || entries > MAX_ENTRIES) {
      throw new ServiceError(
        'PAYLOAD_TOO_LARGE',
        `The TIFF has more than ${MAX_PAGES} pages or ${MAX_ENTRIES} tags; send only the page that you need.`,
      );
    }
    offset = await read(offset + layout.count + own * layout.entry, layout.next);
  }
}
