/** A tag with its TIFF type: 2 and 7 are bytes, 3 and 4 integers, 5 rationals as pairs of integers. */
export type TiffTag = readonly [tag: number, type: 1 | 2 | 3 | 4 | 5 | 7, values: readonly number[] | Buffer];

export interface TiffPicture {
  width: number;
  height: number;
  samples: Uint8Array | Uint16Array;
  /** Samples per pixel; 1 by default. */
  channels?: number;
  /** Additional tags; they replace those with the same number. */
  tags?: readonly TiffTag[];
}

const NUMBER_BYTES = { 1: 1, 2: 1, 3: 2, 4: 4, 5: 4, 7: 1 } as const;

/** Creates an uncompressed TIFF, with each directory before its values and pixels, as ImageJ writes it. */
export function tiff(pictures: readonly TiffPicture[], { isBigEndian = false } = {}): Buffer {
  const pages = pictures.map((picture) => ({ picture, tags: tagsOf(picture), bytes: picture.samples.byteLength }));
  const sizes = pages.map(({ tags, bytes }) => directoryBytes(tags) + bytes);
  const file = new DataView(new ArrayBuffer(8 + sizes.reduce((sum, size) => sum + size, 0)));
  const put = (at: number, value: number, bytes: 1 | 2 | 4): void => {
    if (bytes === 1) file.setUint8(at, value);
    else if (bytes === 2) file.setUint16(at, value, !isBigEndian);
    else file.setUint32(at, value, !isBigEndian);
  };
  put(0, isBigEndian ? 0x4d4d : 0x4949, 2);
  put(2, 42, 2);
  put(4, 8, 4);
  let start = 8;
  for (const [index, { picture, tags, bytes }] of pages.entries()) {
    const pixels = start + directoryBytes(tags);
    put(start, tags.length, 2);
    let valueAt = start + 2 + tags.length * 12 + 4;
    for (const [position, [tag, type, values]] of tags.entries()) {
      const at = start + 2 + position * 12;
      const size = NUMBER_BYTES[type];
      put(at, tag, 2);
      put(at + 2, type, 2);
      put(at + 4, values.length / (type === 5 ? 2 : 1), 4);
      const isInline = values.length * size <= 4;
      if (!isInline) put(at + 8, valueAt, 4);
      // StripOffsets.
      const numbers = tag === 273 ? [pixels] : values;
      for (const [number, value] of numbers.entries()) put((isInline ? at + 8 : valueAt) + number * size, value, size);
      if (!isInline) valueAt += even(values.length * size);
    }
    if (index + 1 < pages.length) put(start + 2 + tags.length * 12, pixels + bytes, 4);
    const sampleBytes = picture.samples.BYTES_PER_ELEMENT === 2 ? 2 : 1;
    picture.samples.forEach((sample, at) => {
      put(pixels + at * sampleBytes, sample, sampleBytes);
    });
    start = pixels + bytes;
  }
  return Buffer.from(file.buffer);
}

function tagsOf({ width, height, samples, channels = 1, tags = [] }: TiffPicture): TiffTag[] {
  const bits = samples.BYTES_PER_ELEMENT * 8;
  const all: TiffTag[] = [
    [256, 4, [width]],
    [257, 4, [height]],
    [258, 3, Array<number>(channels).fill(bits)],
    [259, 3, [1]],
    [262, 3, [channels < 3 ? 1 : 2]],
    [273, 4, [0]],
    [277, 3, [channels]],
    [278, 4, [height]],
    [279, 4, [samples.byteLength]],
  ];
  return [...all.filter(([tag]) => !tags.some(([own]) => own === tag)), ...tags].toSorted(([a], [b]) => a - b);
}

function directoryBytes(tags: readonly TiffTag[]): number {
  const values = tags.map(([, type, { length }]) =>
    length * NUMBER_BYTES[type] <= 4 ? 0 : length * NUMBER_BYTES[type],
  );
  return 2 + tags.length * 12 + 4 + values.reduce((sum, bytes) => sum + even(bytes), 0);
}

/** Values begin at even offsets. */
function even(bytes: number): number {
  return bytes + (bytes % 2);
}
