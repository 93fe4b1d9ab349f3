import sharp, { type Sharp } from 'sharp';
import { ServiceError } from '@esd/service/errors';

/** Pixels of an image, at most. */
const MAX_PIXELS = 100_000_000;

const LOADERS = ['Png', 'Jpeg', 'Tiff', 'Webp'].map((format) => `VipsForeignLoad${format}File`);

/** Restricts libvips to files of the four formats, and turns its cache off. */
export function prepareImageLibrary(): void {
  sharp.cache(false);
  // The decode limiter bounds how much runs at once.
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: LOADERS });
}

/** The first page of an image file, read from top to bottom within limits of pixels and, where it is given, of time. */
export function openImage(file: string, until = Infinity): Sharp {
  const left = Math.ceil((until - Date.now()) / 1000);
  if (left <= 0) throw tooSlow();
  const image = sharp(file, {
    limitInputPixels: MAX_PIXELS,
    sequentialRead: true,
    // Unknown tags, which microscopes write, are warnings.
    failOn: 'error',
    page: 0,
    pages: 1,
  });
  return Number.isFinite(left) ? image.timeout({ seconds: left }) : image;
}

function tooSlow(cause?: unknown): ServiceError {
  return new ServiceError(
    'INVALID_REQUEST',
    'The image takes too long to read; save it as a PNG without interlacing, or with fewer pixels.',
    cause,
  );
}

/**
 * The error to report for one of the library: it reads what a caller sent, so that the caller can mend almost all of them.
 * @returns PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE or INVALID_REQUEST, or the error itself when the machine is at fault.
 */
export function imageError(error: unknown): unknown {
  if (error instanceof ServiceError || !(error instanceof Error)) return error;
  const { message } = error;
  if (/No space left|Permission denied|Read-only file system|out of memory/i.test(message)) return error;
  if (/pixel limit/i.test(message)) {
    return new ServiceError(
      'PAYLOAD_TOO_LARGE',
      `The image has more than ${MAX_PIXELS} pixels; save it with fewer.`,
      error,
    );
  }
  if (/timeout/i.test(message)) return tooSlow(error);
  if (/unsupported image format/i.test(message)) {
    return new ServiceError(
      'UNSUPPORTED_MEDIA_TYPE',
      'The file is not a PNG, JPEG, TIFF or WebP image; save it as one of them.',
      error,
    );
  }
  return new ServiceError(
    'INVALID_REQUEST',
    'The image is damaged: it cannot be read to its end. Save it again.',
    error,
  );
}
