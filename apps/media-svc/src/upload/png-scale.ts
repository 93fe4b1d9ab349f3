import { open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

const SIGNATURE_BYTES = 8;
const HEAD_BYTES = 1_024;
const LARGEST = 2 ** 31 - 1;
const UNIT_UNKNOWN = 0;
const UNIT_METER = 1;

/**
 * Writes the edge length of a pixel, in nm, into the existing pHYs chunk of a PNG file (PNG, third edition, 11.3.4.3).
 * Writes no scale if it is unknown or too small for the chunk (less than about 0.47 nm).
 */
export async function writePngScale(file: string, pixelSize: number | undefined): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const at = chunkAt(buffer.subarray(0, bytesRead), 'pHYs');
    const perMeter = pixelSize === undefined ? 0 : Math.round(1e9 / pixelSize);
    const known = perMeter >= 1 && perMeter <= LARGEST;
    const chunk = Buffer.alloc(4 + 9 + 4);
    chunk.write('pHYs', 0, 'latin1');
    chunk.writeUInt32BE(known ? perMeter : 1, 4);
    chunk.writeUInt32BE(known ? perMeter : 1, 8);
    chunk.writeUInt8(known ? UNIT_METER : UNIT_UNKNOWN, 12);
    chunk.writeUInt32BE(crc32(chunk.subarray(0, 13)), 13);
    await handle.write(chunk, 0, chunk.length, at + 4);
  } finally {
    await handle.close();
  }
}

/** Returns the offset of a chunk that precedes the pixels. */
function chunkAt(head: Buffer, name: string): number {
  for (let at = SIGNATURE_BYTES; at + 12 <= head.length;) {
    const type = head.toString('latin1', at + 4, at + 8);
    if (type === name) return at;
    if (type === 'IDAT') break;
    at += 12 + head.readUInt32BE(at);
  }
  throw new Error(`the encoder wrote no ${name} chunk`);
}
