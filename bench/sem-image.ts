export const [WIDTH, HEIGHT] = [2_560, 1_920];

/** Creates an uncompressed 8-bit TIFF of fibers and noise. */
export function semLike(seed: number): Buffer {
  const pixels = Buffer.alloc(WIDTH * HEIGHT);
  let state = seed + 1;
  for (let y = 0; y < HEIGHT; y += 1) {
    for (let x = 0; x < WIDTH; x += 1) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      const fiber = Math.sin((x + y * ((seed % 7) - 3)) / 40) > 0.8 ? 90 : 0;
      pixels[y * WIDTH + x] = 60 + fiber + (state >>> 27);
    }
  }
  return greyTiff(WIDTH, HEIGHT, pixels);
}

export function greyTiff(width: number, height: number, pixels: Buffer): Buffer {
  const entries = [
    [256, 4, width],
    [257, 4, height],
    [258, 3, 8],
    [259, 3, 1],
    [262, 3, 1],
    [273, 4, 8],
    [277, 3, 1],
    [278, 4, height],
    [279, 4, pixels.length],
  ];
  const end = Buffer.alloc(2 + entries.length * 12 + 4);
  end.writeUInt16LE(entries.length);
  for (const [index, [tag = 0, type = 0, value = 0]] of entries.entries()) {
    end.writeUInt16LE(tag, 2 + index * 12);
    end.writeUInt16LE(type, 4 + index * 12);
    end.writeUInt32LE(1, 6 + index * 12);
    end.writeUInt32LE(value, 10 + index * 12);
  }
  const head = Buffer.from('II*\0\0\0\0\0', 'latin1');
  head.writeUInt32LE(8 + pixels.length, 4);
  return Buffer.concat([head, pixels, end]);
}
