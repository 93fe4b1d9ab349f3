import { crc32 } from 'node:zlib';

const PIXELS = {
  grey: { colorType: 0, samples: 1 },
  rgb: { colorType: 2, samples: 3 },
  rgba: { colorType: 6, samples: 4 },
} as const;

export interface PngHead {
  width: number;
  height: number;
  pixels: keyof typeof PIXELS;
  bits: 8 | 16;
}

const SIGNATURE = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);

export function pngRowBytes({ width, pixels, bits }: PngHead): number {
  return (width * PIXELS[pixels].samples * bits) / 8;
}

/** Returns a PNG of a header and compressed rows, each with a leading filter byte. */
export function png({ width, height, pixels, bits }: PngHead, data: Buffer): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = bits;
  head[9] = PIXELS[pixels].colorType;
  return Buffer.concat([SIGNATURE, pngChunk('IHDR', head), pngChunk('IDAT', data), pngChunk('IEND', Buffer.alloc(0))]);
}

function pngChunk(type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(data.length);
  head.write(type, 4, 'latin1');
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(data, crc32(head.subarray(4))));
  return Buffer.concat([head, data, sum]);
}
