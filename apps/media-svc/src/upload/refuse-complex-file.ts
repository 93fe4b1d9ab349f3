import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { ServiceError } from '@esd/service/errors';

/** Scans of a JPEG, at most; encoders write some ten. libjpeg goes through the whole image for each, and cannot be stopped. */
const MAX_SCANS = 100;
/** Directories of a TIFF and their entries, at most; libtiff reads all of them to know how many pages there are. */
const MAX_PAGES = 1_000;
const MAX_ENTRIES = 100_000;

const START_OF_SCAN = Buffer.from([0xff, 0xda]);

/**
 * Refuses a JPEG of more scans, or a TIFF of more pages or tags, than any camera or microscope writes, before the library
 * opens it: it would go through all of them, whatever the time limit. PAYLOAD_TOO_LARGE.
 */
export async function refuseComplexFile(file: string): Promise<void> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(16), 0, 16, 0);
    const head = buffer.subarray(0, bytesRead);
    if (head.readUInt16BE(0) === 0xffd8) await refuseManyScans(file);
    else if (/^(II[*+]\0|MM\0[*+])/.test(head.toString('latin1'))) await refuseManyPages(handle, head);
  } catch (error) {
    // Cut off within its head, or not an image: the library says so.
    if (!(error instanceof RangeError)) throw error;
  } finally {
    await handle.close();
  }
}

async function refuseManyScans(file: string): Promise<void> {
  let scans = 0;
  let last = Buffer.alloc(0);
  for await (const chunk of createReadStream(file)) {
    if (!Buffer.isBuffer(chunk)) throw new Error('a file is read as bytes');
    // Within the data of a scan a byte 0xff is always followed by something else.
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
  // BigTIFF has offsets of 64 bits.
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
        `The TIFF has more than ${MAX_PAGES} pages, or ${MAX_ENTRIES} tags; send only the page that you need.`,
      );
    }
    offset = await read(offset + layout.count + own * layout.entry, layout.next);
  }
}
