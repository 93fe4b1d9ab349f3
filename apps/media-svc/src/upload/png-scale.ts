import { type FileHandle, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

const SIGNATURE_BYTES = 8;
/** Length, type, and data of a pHYs chunk. */
const PHYS_BYTES = 8 + 9;
const MAX_CHUNKS = 1_000;
const LARGEST = 2 ** 31 - 1;
const UNIT_UNKNOWN = 0;
const UNIT_METER = 1;
const NM_PER_METER = 1e9;

/**
 * Writes the edge length of a pixel, in nm, into the existing pHYs chunk of a PNG file (PNG, third edition, 11.3.4.3).
 * Writes no scale if it is unknown or too small for the chunk (less than about 0.47 nm).
 */
export async function writePngScale(file: string, pixelSize: number | undefined): Promise<void> {
  await using handle = await open(file, 'r+');
  const scaleChunk = await findScale(handle);
  if (scaleChunk === undefined) throw new Error('the encoder wrote no pHYs chunk');
  const perMeter = pixelSize === undefined ? 0 : Math.round(NM_PER_METER / pixelSize);
  const isWritable = perMeter >= 1 && perMeter <= LARGEST;
  const chunk = Buffer.alloc(4 + 9 + 4);
  chunk.write('pHYs', 0, 'latin1');
  chunk.writeUInt32BE(isWritable ? perMeter : 1, 4);
  chunk.writeUInt32BE(isWritable ? perMeter : 1, 8);
  chunk.writeUInt8(isWritable ? UNIT_METER : UNIT_UNKNOWN, 12);
  chunk.writeUInt32BE(crc32(chunk.subarray(0, 13)), 13);
  await handle.write(chunk, 0, chunk.length, scaleChunk.at + 4);
}

/** Returns the width and height of a pixel in nm that a PNG file states in meters, or an empty list. */
export async function readPngScale(handle: FileHandle): Promise<number[]> {
  const scaleChunk = await findScale(handle);
  if (scaleChunk?.data[8] !== UNIT_METER) return [];
  return [NM_PER_METER / scaleChunk.data.readUInt32BE(0), NM_PER_METER / scaleChunk.data.readUInt32BE(4)];
}

/** Finds the pHYs chunk among the first 1,000 chunks; it precedes the pixels. */
async function findScale(handle: FileHandle): Promise<{ at: number; data: Buffer } | undefined> {
  let at = SIGNATURE_BYTES;
  for (let chunks = 0; chunks < MAX_CHUNKS; chunks += 1) {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(PHYS_BYTES), 0, PHYS_BYTES, at);
    const type = buffer.toString('latin1', 4, 8);
    if (bytesRead < PHYS_BYTES || type === 'IDAT') return undefined;
    if (type === 'pHYs') return { at, data: buffer.subarray(8) };
    at += 12 + buffer.readUInt32BE(0);
  }
  return undefined;
}
