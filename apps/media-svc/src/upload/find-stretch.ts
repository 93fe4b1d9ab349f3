import type { Sharp } from 'sharp';
import { imageError } from './image-library.ts';

const LARGEST = 65_535;
/** Maximum width and height of the examined part of the pixels: every n-th of a larger image. */
const SAMPLE_EDGE = 1_024;

/**
 * Returns the linear function that stretches the 0.1th to 99.9th percentile of an image of 16 bits to the full range, or undefined
 * if they span at least half of it or are equal. An alpha channel does not count. Throws the errors of `imageError`.
 */
export async function findStretch(image: Sharp): Promise<{ factor: number; offset: number } | undefined> {
  const options = { fit: 'inside', kernel: 'nearest', withoutEnlargement: true } as const;
  const pixels = image.resize(SAMPLE_EDGE, SAMPLE_EDGE, options).raw({ depth: 'ushort' });
  const { data, info } = await pixels.toBuffer({ resolveWithObject: true }).catch((error: unknown) => {
    throw imageError(error);
  });
  const colors = info.channels % 2 === 0 ? info.channels - 1 : info.channels;
  const counts = new Uint32Array(LARGEST + 1);
  new Uint16Array(data.buffer, data.byteOffset, data.length / 2).forEach((sample, at) => {
    if (at % info.channels < colors) counts[sample] = (counts[sample] ?? 0) + 1;
  });
  const total = info.width * info.height * colors;
  const low = percentile(counts, total * 0.001);
  const range = percentile(counts, total * 0.999) - low;
  if (range === 0 || range >= LARGEST / 2) return undefined;
  const factor = LARGEST / range;
  return { factor, offset: -low * factor };
}

function percentile(counts: Uint32Array, rank: number): number {
  let sum = 0;
  return counts.findIndex((count) => {
    sum += count;
    return sum >= rank;
  });
}
