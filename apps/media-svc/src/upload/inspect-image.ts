import type { Metadata } from 'sharp';
import type { ErrorItem } from '@esd/service/http/error-body';
import { ServiceError } from '@esd/service/errors';
import { refuseComplexFile } from './refuse-complex-file.ts';
import { imageError, openImage } from './image-library.ts';

/** Memory that reading one image may take, at most. */
export const HELD_BYTES = 112 * 1024 * 1024;
/** Samples of an image as it is decoded, at most: 100 megapixels of 32 bits, or 50 of RGBA with 16 bits a sample. */
const MAX_DECODED_BYTES = 400_000_000;
/** An image with a longer edge is hostile, and each row costs time. */
const MAX_EDGE = 65_535;
// A resolution finer than that is the scale of a microscope and not the print size that cameras and editors write.
const COARSEST_PIXEL_NM = 10_000;
const NM_PER_INCH = 25_400_000;

/** An image file as its header describes it. */
export interface Inspected {
  /** Color space in which it is stored. */
  space: 'srgb' | 'b-w' | 'grey16' | 'rgb16';
  /** Memory that reading it takes, about. */
  heldBytes: number;
  /** Its samples as they are decoded, which its time goes with. */
  decodedBytes: number;
  /** Edge of a pixel in nm, where the resolution of a TIFF says it. */
  pixelSize: number | undefined;
  warnings: ErrorItem[];
}

/**
 * Reads the head of an image file. UNSUPPORTED_MEDIA_TYPE for a file that is not a PNG, JPEG, TIFF or WebP of 8 or 16 bits,
 * PAYLOAD_TOO_LARGE for too many pixels, samples, scans or pages, or for more than 112 MB of memory where the whole image has to be held.
 */
export async function inspectImage(file: string): Promise<Inspected> {
  await refuseComplexFile(file);
  let head: Metadata;
  try {
    head = await openImage(file).metadata();
  } catch (error) {
    throw imageError(error);
  }
  if (head.depth !== 'uchar' && head.depth !== 'ushort') {
    const message = `The samples of the image are of the type ${head.depth}; save it with 8 or 16 bit integers.`;
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', message);
  }
  const edge = Math.max(head.width, head.height);
  if (edge > MAX_EDGE) {
    throw new ServiceError(
      'PAYLOAD_TOO_LARGE',
      `An edge of the image has ${edge} pixels; at most ${MAX_EDGE} are allowed.`,
    );
  }
  const decodedBytes = bytesDecoded(head);
  if (decodedBytes > MAX_DECODED_BYTES) {
    throw new ServiceError(
      'PAYLOAD_TOO_LARGE',
      `The image has ${decodedBytes} bytes of pixels (${head.width} × ${head.height}, ${head.channels} channels of ` +
        `${head.depth === 'ushort' ? 16 : 8} bits); at most ${MAX_DECODED_BYTES} are allowed. Save it without its alpha channel, or with 8 bits.`,
    );
  }
  const heldBytes = bytesHeld(head);
  if (heldBytes > HELD_BYTES) {
    throw new ServiceError(
      'PAYLOAD_TOO_LARGE',
      `An image of ${head.width} × ${head.height} pixels that is interlaced, progressive, rotated, a WebP or a TIFF in large pieces needs ` +
        `more memory than allowed; save it as a PNG without interlacing.`,
    );
  }
  const warnings: ErrorItem[] = [];
  if ((head.pages ?? 1) > 1) {
    const message = `Only the first of its ${head.pages ?? 1} pages or frames is kept.`;
    warnings.push({ path: 'file', code: 'FIRST_PAGE_ONLY', message });
  }
  return { space: storedSpace(head), heldBytes, decodedBytes, pixelSize: pixelSizeOf(head), warnings };
}

function storedSpace({ space, depth }: Metadata): Inspected['space'] {
  if (depth === 'ushort') return space === 'grey16' ? 'grey16' : space === 'rgb16' ? 'rgb16' : 'srgb';
  return space === 'b-w' ? 'b-w' : 'srgb';
}

/** Some rows, and the decoded bytes where the decoder, or a turn of the image, has to have all of it at once; as measured. */
function bytesHeld(head: Metadata): number {
  const pixels = head.width * head.height;
  return pixels * 0.5 + wholeBytes(head, pixels);
}

function bytesDecoded({ width, height, channels, depth }: Metadata): number {
  return width * height * channels * (depth === 'ushort' ? 2 : 1);
}

function wholeBytes(head: Metadata, pixels: number): number {
  const decoded = bytesDecoded(head);
  const turned = (head.orientation ?? 1) > 1 ? decoded : 0;
  switch (head.format) {
    case 'webp':
      return pixels * 7 + turned;
    case 'jpeg': {
      const samples = { '4:2:0': 1.5, '4:2:2': 2, '4:4:4': 3 }[head.chromaSubsampling ?? ''] ?? head.channels;
      // A progressive one is kept as coefficients of 16 bits.
      return (head.isProgressive ? pixels * samples * 2 : 0) + turned;
    }
    default:
      return (head.isProgressive ? decoded : 0) + turned;
  }
}

function pixelSizeOf({ format, density }: Metadata): number | undefined {
  if (format !== 'tiff' || density === undefined || density <= 0) return undefined;
  const pixelSize = NM_PER_INCH / density;
  return pixelSize < COARSEST_PIXEL_NM ? Number(pixelSize.toPrecision(6)) : undefined;
}
