import sharp, { type Sharp, type SharpOptions } from 'sharp';
import { ServiceError } from '@esd/service/errors';

const MAX_PIXELS = 100_000_000;

const LOADERS = ['Png', 'Jpeg', 'Tiff', 'Webp'].map((format) => `VipsForeignLoad${format}File`);

/** Restricts libvips to files of the four formats and disables its cache. */
export function prepareImageLibrary(): void {
  sharp.cache(false);
  // The decode limiter bounds the concurrency.
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: LOADERS });
}

/** Opens one page of an image file, by default the first, with a pixel limit and a deadline in milliseconds since 1970. */
export function openImage(
  file: string,
  { until = Infinity, ...page }: { until?: number } & Pick<SharpOptions, 'page' | 'ignoreIcc'> = {},
): Sharp {
  const left = Math.ceil((until - Date.now()) / 1000);
  if (left <= 0) throw tooSlow();
  const image = sharp(file, {
    limitInputPixels: MAX_PIXELS,
    sequentialRead: true,
    // Microscopes write unknown tags, which cause warnings.
    failOn: 'error',
    page: 0,
    pages: 1,
    ...page,
  });
  return Number.isFinite(left) ? image.timeout({ seconds: left }) : image;
}

function tooSlow(cause?: unknown): ServiceError {
  return new ServiceError(
    'INVALID_REQUEST',
    'The image takes too long to read; save it as a PNG without interlacing, or with fewer pixels.',
    { cause },
  );
}

/** Converts an error of the library to a ServiceError, or returns it unchanged if the server is at fault. */
export function imageError(error: unknown): unknown {
  if (error instanceof ServiceError || !(error instanceof Error)) return error;
  const { message } = error;
  if (/No space left|Permission denied|Read-only file system|out of memory/i.test(message)) return error;
  if (/pixel limit/i.test(message)) {
    return new ServiceError('PAYLOAD_TOO_LARGE', `The image has more than ${MAX_PIXELS} pixels; save it with fewer.`, {
      cause: error,
    });
  }
  if (/timeout/i.test(message)) return tooSlow(error);
  if (/unsupported image format/i.test(message)) {
    return new ServiceError(
      'UNSUPPORTED_MEDIA_TYPE',
      'The file is not a PNG, JPEG, TIFF or WebP image; save it as one of them.',
      { cause: error },
    );
  }
  return damagedImage(error);
}

export function damagedImage(cause?: unknown): ServiceError {
  const message = 'The image is damaged and cannot be read completely. Save it again.';
  return new ServiceError('INVALID_REQUEST', message, { cause });
}
