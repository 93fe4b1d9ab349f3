import { open } from 'node:fs/promises';
import type { Metadata } from 'sharp';
import type { ErrorItem } from '@esd/service/http/error-body';
import { ServiceError } from '@esd/service/errors';
import { type FileScale, readFileScale } from './file-scale.ts';
import { imageError, openImage } from './image-library.ts';
import { refuseManyScans } from './refuse-many-scans.ts';
import { chooseTiffPage, firstPageOnly } from './tiff-pages.ts';
import { readTiff } from './tiff-reader.ts';

/** Maximum memory for reading one image, in bytes. */
export const MAX_MEMORY_BYTES = 112 * 1024 * 1024;
/** 100 megapixels of 32 bits, or 50 of RGBA with 16 bits per sample. */
const MAX_DECODED_BYTES = 400_000_000;
/** Each row takes time, and only hostile images are wider or higher. */
const MAX_EDGE = 65_535;

export interface Inspected {
  /** Index of the page to store. */
  page: number;
  space: 'srgb' | 'b-w' | 'grey16' | 'rgb16';
  /** Approximate memory for decoding the image. */
  memoryBytes: number;
  /** Size of the decoded samples; the decoding time is proportional to it. */
  decodedBytes: number;
  scale: FileScale;
  warnings: ErrorItem[];
}

/**
 * Reads the header of an image file. Throws UNSUPPORTED_MEDIA_TYPE unless it is a PNG, JPEG, TIFF, or WebP in gray or RGB with
 * 8 or 16 bits. Throws PAYLOAD_TOO_LARGE for too many pixels, samples, scans, or pages, or if decoding needs more than 112 MB.
 */
export async function inspectImage(file: string): Promise<Inspected> {
  await using handle = await open(file);
  const tiff = await readTiff(handle);
  const chosen = tiff && (await chooseTiffPage(tiff));
  const page = chosen?.index ?? 0;
  let head: Metadata;
  try {
    head = await openImage(file, { page }).metadata();
  } catch (error) {
    throw imageError(error);
  }
  if (head.format === 'jpeg') await refuseManyScans(file);
  refuseSamples(head);
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
  const scale = await readFileScale(handle, tiff, chosen?.page);
  const warnings = chosen?.warnings ?? firstPageOnly(head.pages);
  return { page, space: storedSpace(head), memoryBytes, decodedBytes, scale, warnings };
}

function refuseSamples({ depth, space, channels }: Metadata): void {
  const problem =
    depth !== 'uchar' && depth !== 'ushort'
      ? `has samples of the type ${depth}`
      : space === 'cmyk'
        ? 'is CMYK, whose conversion would change gray values'
        : channels > 2 && (space === 'b-w' || space === 'grey16') && `has ${channels} gray channels`;
  if (problem === false) return;
  const message = `The image ${problem}; save it in gray or RGB with 8-bit or 16-bit integer samples.`;
  throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', message);
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
