import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { png } from '@esd/testing/png';

/** Returns an image of gray noise with 8 or 16 bits per sample. */
export function grayImage(width: number, height: number, depth: 'uchar' | 'ushort' = 'uchar', seed = 1) {
  const pixels = depth === 'ushort' ? new Uint16Array(width * height) : new Uint8Array(width * height);
  let state = seed;
  for (let at = 0; at < pixels.length; at += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    pixels[at] = depth === 'ushort' ? state >>> 16 : state >>> 24;
  }
  const image = sharp(pixels, { raw: { width, height, channels: 1 } });
  return image.toColourspace(depth === 'ushort' ? 'grey16' : 'b-w');
}

export function colorImage(width: number, height: number, background = '#c04020') {
  return sharp({ create: { width, height, channels: 3, background }, limitInputPixels: false });
}

/** Returns a small PNG of zeros that declares any size. */
export function zeroPng(width: number, height: number): Buffer {
  const row = Buffer.alloc(1 + width);
  // A single block of zeros compresses 1,000 to 1; compressing each row would not.
  const pixels = deflateSync(Buffer.alloc(Math.min(row.length * height, 100_000_000)), { level: 1 });
  return png({ width, height, pixels: 'grey', bits: 8 }, pixels);
}

/** Returns an uncompressed TIFF that declares any size, with 400 bytes of pixels. */
export function plainTiff(width: number, height: number, { bits = 8, sampleFormat = 1 } = {}): Buffer {
  const entries: [number, number, number][] = [
    [256, 4, width],
    [257, 4, height],
    [258, 3, bits],
    [259, 3, 1],
    [262, 3, 1],
    [273, 4, 8],
    [277, 3, 1],
    [278, 4, height],
    [279, 4, 400],
    [339, 3, sampleFormat],
  ];
  const file = Buffer.alloc(408 + 2 + entries.length * 12 + 4);
  file.write('II*\0', 'latin1');
  file.writeUInt32LE(408, 4);
  file.writeUInt16LE(entries.length, 408);
  for (const [index, [tag, type, value]] of entries.entries()) {
    const at = 410 + index * 12;
    file.writeUInt16LE(tag, at);
    file.writeUInt16LE(type, at + 2);
    file.writeUInt32LE(1, at + 4);
    file.writeUInt32LE(value, at + 8);
  }
  return file;
}

export function pngChunks(file: Buffer): { type: string; data: Buffer }[] {
  const chunks: { type: string; data: Buffer }[] = [];
  for (let at = 8; at < file.length;) {
    const length = file.readUInt32BE(at);
    const type = file.toString('latin1', at + 4, at + 8);
    chunks.push({ type, data: file.subarray(at + 8, at + 8 + length) });
    at += 12 + length;
  }
  return chunks;
}
