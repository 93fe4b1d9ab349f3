import { constants, deflateRawSync, deflateSync } from 'node:zlib';
import { png, type PngHead, pngRowBytes } from './png.ts';

const MB = 1_048_576;

/** Creates a valid black PNG of about a thousandth of its decoded size: 0.8 MB for 100 megapixels of 16-bit RGBA (800 MB). */
export function blackPng(head: PngHead): Buffer {
  let left = head.height * (1 + pngRowBytes(head));
  const adler = adlerOfZeros(left);
  const zeros = Buffer.alloc(MB);
  const repeated = deflateRawSync(zeros, { finishFlush: constants.Z_FULL_FLUSH });
  const parts: Buffer[] = [Buffer.from([0x78, 0x9c])];
  for (; left > MB; left -= MB) parts.push(repeated);
  parts.push(deflateRawSync(zeros.subarray(0, left)), adler);
  return png(head, Buffer.concat(parts));
}

/** Creates a valid PNG of `count` distinct bytes in random order, the slowest input for deflate. */
export function noisyPng(head: PngHead, count: number, seed = 1): Buffer {
  const row = pngRowBytes(head);
  const pixels = Buffer.alloc(head.height * (1 + row));
  let state = seed;
  for (let start = 0; start < pixels.length; start += 1 + row) {
    for (let at = start + 1; at <= start + row; at += 1) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      pixels[at] = (state >>> 16) % count;
    }
  }
  return png(head, deflateSync(pixels, { level: 1 }));
}

/** Creates a TIFF of one-pixel pages with a directory each: 14 MB for 100,000 pages. */
export function manyPagesTiff(pages: number): Buffer {
  const entries = [
    [256, 1],
    [257, 1],
    [258, 8],
    [259, 1],
    [262, 1],
    [273, 8],
    [277, 1],
    [278, 1],
    [279, 1],
  ] as const;
  const directoryBytes = 2 + entries.length * 12 + 4;
  const file = Buffer.alloc(10 + pages * directoryBytes);
  file.write('II*\0', 'latin1');
  file.writeUInt32LE(10, 4);
  for (let page = 0; page < pages; page += 1) {
    const start = 10 + page * directoryBytes;
    file.writeUInt16LE(entries.length, start);
    for (const [index, [tag, value]] of entries.entries()) {
      const at = start + 2 + index * 12;
      file.writeUInt16LE(tag, at);
      file.writeUInt16LE(4, at + 2);
      file.writeUInt32LE(1, at + 4);
      file.writeUInt32LE(value, at + 8);
    }
    if (page + 1 < pages) file.writeUInt32LE(start + directoryBytes, start + directoryBytes - 4);
  }
  return file;
}

/** Creates a gray progressive JPEG with `scans` empty scans. Each takes about 30 bytes and makes a decoder visit all blocks. */
export function manyScansJpeg(width: number, height: number, scans: number): Buffer {
  const blocks = Math.ceil(width / 8) * Math.ceil(height / 8);
  const size = Buffer.alloc(4);
  size.writeUInt16BE(height, 0);
  size.writeUInt16BE(width, 2);
  const oneCode = (kind: number, symbol: number): Buffer =>
    segment(0xc4, Buffer.from([kind, 1, ...Array<number>(15).fill(0), symbol]));
  // The longest run without coefficients (32,767 blocks) has the code 0 followed by 14 ones.
  const runs = '011111111111111'.repeat(Math.ceil(blocks / 32_767));
  const nothing = Buffer.concat([segment(0xda, Buffer.from([1, 1, 0, 1, 63, 0])), entropyBytes(runs)]);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xdb, Buffer.from([0, ...Array<number>(64).fill(1)])),
    segment(0xc2, Buffer.concat([Buffer.from([8]), size, Buffer.from([1, 1, 0x11, 0])])),
    oneCode(0x00, 0),
    oneCode(0x10, 0xe0),
    segment(0xda, Buffer.from([1, 1, 0, 0, 0, 0])),
    Buffer.alloc(Math.ceil(blocks / 8)),
    ...Array<Buffer>(scans).fill(nothing),
    Buffer.from([0xff, 0xd9]),
  ]);
}

function segment(marker: number, data: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
}

/** Packs bits into bytes of a scan: pads with ones and adds a zero byte after each 0xff. */
function entropyBytes(bits: string): Buffer {
  const bytes = (bits.match(/.{1,8}/g) ?? []).map((byte) => Number.parseInt(byte.padEnd(8, '1'), 2));
  return Buffer.from(bytes.flatMap((byte) => (byte === 0xff ? [byte, 0] : [byte])));
}

function adlerOfZeros(count: number): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt16BE(count % 65_521, 0);
  sum.writeUInt16BE(1, 2);
  return sum;
}
