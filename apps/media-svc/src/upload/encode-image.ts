import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Sharp } from 'sharp';
import { ServiceError } from '@esd/service/errors';
import { EDGE, storedVariant, type Variant, VARIANTS } from '../image/variants.ts';
import { imageError, openImage } from './image-library.ts';
import { findStretch } from './find-stretch.ts';
import type { Inspected } from './inspect-image.ts';
import { writePngScale } from './png-scale.ts';

/** Maximum bytes of a stored PNG; a lossy image can be much larger as a PNG. */
const PNG_BYTES = 100 * 1024 * 1024;

export interface Encoded {
  files: { variant: Variant; file: string; bytes: number }[];
  width: number;
  height: number;
  /** Whether the contrast of the smaller variants is stretched. */
  stretched: boolean;
  bytes: number;
  sha256: string;
}

/**
 * Encodes an image as upright PNG files in `folder`, without metadata except `pixelSize` in nm. Samples of 16 bits stay
 * unchanged in the full size. The smaller sizes have 8 bits, and stretched contrast if the image uses little of its range.
 * Throws INVALID_REQUEST if it is damaged or not finished by `until` (milliseconds since 1970), and PAYLOAD_TOO_LARGE for a
 * PNG of more than 100 MB.
 */
export async function encodeImage(
  source: string,
  folder: string,
  { page, space }: Pick<Inspected, 'page' | 'space'>,
  pixelSize: number | undefined,
  until: number,
): Promise<Encoded> {
  const fileOf = (variant: Variant): string => join(folder, `${variant}.png`);
  const full = fileOf('full');
  const hasWideSamples = space === 'grey16' || space === 'rgb16';
  // A color profile would change the samples.
  const image = openImage(source, { until, page, ignoreIcc: hasWideSamples });
  const { width, height } = await write(image.autoOrient().toColourspace(space), full);
  const { size: bytes } = await stat(full);
  if (bytes > PNG_BYTES) {
    throw new ServiceError(
      'PAYLOAD_TOO_LARGE',
      `As a PNG, the image has ${bytes} bytes; at most ${PNG_BYTES} are allowed.`,
    );
  }
  await writePngScale(full, pixelSize);
  const stretch = hasWideSamples ? await findStretch(openImage(full, { until }).toColourspace(space)) : undefined;
  const stretched = stretch !== undefined;
  const files: Encoded['files'] = [];
  let larger = full;
  for (const variant of VARIANTS) {
    if (storedVariant(variant, { width, height, stretched }) !== variant) continue;
    const file = fileOf(variant);
    if (variant !== 'full') {
      const edge = EDGE[variant];
      const smaller = openImage(larger, { until }).resize(edge, edge, { fit: 'inside', withoutEnlargement: true });
      if (stretch && larger === full) smaller.linear(stretch.factor, stretch.offset);
      await write(smaller.toColourspace(eightBits(space)), file);
      larger = file;
    }
    files.push({ variant, file, bytes: (await stat(file)).size });
  }
  return { files, width, height, stretched, bytes, sha256: await sha256Of(full) };
}

async function write(image: Sharp, file: string): Promise<{ width: number; height: number }> {
  try {
    return await image.png().toFile(file);
  } catch (error) {
    throw imageError(error);
  }
}

function eightBits(space: Inspected['space']): 'b-w' | 'srgb' {
  return space === 'b-w' || space === 'grey16' ? 'b-w' : 'srgb';
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
