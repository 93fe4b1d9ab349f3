import type { Metadata } from 'sharp';
import type { ErrorItem } from '@esd/service/http/error-body';
import { ServiceError } from '@esd/service/errors';
import { refuseComplexFile } from './refuse-complex-file.ts';
import { imageError, openImage } from './image-library.ts';

/** Maximum memory for reading one image, in bytes. */
export const MAX_MEMORY_BYTES = 112 * 1024 * 1024;
/** 100 megapixels of 32 bits, or 50 of RGBA with 16 bits per sample. */
const MAX_DECODED_BYTES = 400_000_000;
/** Each row takes time, and only hostile images are wider or higher. */
const MAX_EDGE = 65_535;
// A finer resolution is the scale of a microscope; a coarser one is the print size that cameras and editors write.
const COARSEST_PIXEL_NM = 10_000;
const NM_PER_INCH = 25_400_000;

export interface Inspected {
  space: 'srgb' | 'b-w' | 'grey16' | 'rgb16';
  /** Approximate memory for decoding the image. */
  memoryBytes: number;
  /** Size of the decoded samples; the decoding time is proportional to it. */
  decodedBytes: number;
  /** Edge length of a pixel in nm, from the resolution of a TIFF. */
  pixelSize: number | undefined;
  warnings: ErrorItem[];
}

/**
 * Reads the header of an image file. Throws UNSUPPORTED_MEDIA_TYPE unless it is a PNG, JPEG, TIFF, or WebP of 8 or 16 bits.
 * Throws PAYLOAD_TOO_LARGE for too many pixels, samples, scans, or pages, or if decoding needs more than 112 MB.
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
    const message = `The samples of the image have the type ${head.depth}; save it with 8-bit or 16-bit integer samples.`;
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', message);
  }
  const edge = Math.max(head.width, head.height);
  if (edge > MAX_EDGE) {
    throw new ServiceError(
      'PAYLOAD_TOO_LARGE',
      `The longer side of the image has ${edge} pixels; at most ${MAX_EDGE} are allowed.`,
    );
  }
  const decodedBytes = bytesDecoded(head);
  if (decodedBytes > MAX_DECODED_BYTES) {
    throw new ServiceError(
      'PAYLOAD_TOO_LARGE',
      `The decoded image has ${decodedBytes} bytes (${head.width} × ${head.height}, ${head.channels} channels of ` +
        `${head.depth === 'ushort' ? 16 : 8} bits); at most ${MAX_DECODED_BYTES} are allowed. Save it without its alpha channel, or with 8 bits.`,
    );
  }
  const memoryBytes = memoryBytesOf(head);
  if (memoryBytes > MAX_MEMORY_BYTES) {
    throw new ServiceError(
      'PAYLOAD_TOO_LARGE',
      `An image of ${head.width} × ${head.height} pixels that is interlaced, progressive, rotated, a WebP, or a TIFF with large strips or tiles needs ` +
        `more memory than is allowed; save it as a PNG without interlacing.`,
    );
  }
  const warnings: ErrorItem[] = [];
  if ((head.pages ?? 1) > 1) {
    const message = `Only the first of the ${head.pages ?? 1} pages or frames of the file is stored.`;
    warnings.push({ path: 'file', code: 'FIRST_PAGE_ONLY', message });
  }
  return { space: storedSpace(head), memoryBytes, decodedBytes, pixelSize: pixelSizeOf(head), warnings };
}

function storedSpace({ space, depth }: Metadata): Inspected['space'] {
  if (depth === 'ushort') return space === 'grey16' ? 'grey16' : space === 'rgb16' ? 'rgb16' : 'srgb';
  return space === 'b-w' ? 'b-w' : 'srgb';
}

/** Estimates the memory: some rows, plus the decoded bytes if the decoder or a rotation needs the whole image. */
function memoryBytesOf(head: Metadata): number {
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
      // The decoder buffers a progressive JPEG as 16-bit coefficients.
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
