import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Kysely } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { ObjectStore } from '@esd/object-store/object-store';
import { ImageContentRequest, ImageSize } from '@esd/proto/esd/media/v1/media';
import { ServiceError } from '@esd/service/errors';
import type { Logger } from '@esd/service/health/log';
import { counter } from '@esd/service/health/metrics';
import { type ByteRange, readByteRange } from '@esd/service/http/byte-range';
import { matchesEntityTag, parseEntityTags } from '@esd/service/http/entity-tag';
import type { Endpoint, EndpointCall } from '@esd/service/http/internal-endpoints';
import { readStreamRequest } from '@esd/service/http/stream-request';
import { isImageId } from '../image/image-id.ts';
import { findImages } from '../image/image.store.ts';
import { objectKey, storedVariant, type Variant } from '../image/variants.ts';
import type { Tables } from '../tables.ts';

const MAX_CACHED_BYTES = 64 * 1024 * 1024;
/** Larger objects are streamed each time. */
const MAX_CACHED_OBJECT_BYTES = 8 * 1024 * 1024;
const IMMUTABLE = 'public, max-age=31536000, immutable';
/** Unpublished images may still be deleted, so no cache may store them. */
const UNPUBLISHED = 'private, no-store';
const STALLED_READER_MS = 30_000;
const LOST_RETRY_SECONDS = 60;
const SIZES: Readonly<Record<ImageSize, Variant>> = {
  [ImageSize.IMAGE_SIZE_UNSPECIFIED]: 'full',
  [ImageSize.IMAGE_SIZE_MEDIUM]: 'medium',
  [ImageSize.IMAGE_SIZE_THUMB]: 'thumb',
};

const lost = counter('esd_images_lost_total');

/**
 * GET and HEAD of /images/{id}/content: sends the PNG in the requested size to anyone who knows the id, with a strong
 * entity tag and ranges. Throws IMAGE_NOT_FOUND, and UNAVAILABLE if the store is down and the bytes are not cached. Also
 * throws UNAVAILABLE for an object that the store has lost, which it counts and logs as an error. Restoring the bucket or
 * uploading the same image again repairs it.
 */
export function sendContent({
  database,
  objects,
  log,
}: {
  database: Kysely<Tables>;
  objects: ObjectStore;
  log: Logger;
}): Endpoint {
  const open = async (key: string, range?: ByteRange) => {
    const object = await objects.open(key, { range });
    if (object) return object.body;
    lost.inc();
    log.error({ key }, 'object of an image is missing from the store; restore it from the backup');
    throw new ServiceError('UNAVAILABLE', 'The image is currently unavailable. Try again later.', {
      retryAfterSeconds: LOST_RETRY_SECONDS,
    });
  };
  const cache = new LRUCache<string, Buffer>({
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: ({ length }) => Math.max(length, 1),
    fetchMethod: async (key) => buffer(await open(key)),
  });
  return {
    methods: ['GET', 'HEAD'],
    path: /^\/images\/[^/]+\/content$/,
    handle: async (call, request, response) => {
      const { imageId, variant } = readContentRequest(call);
      const [image] = isImageId(imageId) ? await findImages(database, [imageId]) : [];
      if (!image) throw new ServiceError('IMAGE_NOT_FOUND', `There is no image ${imageId.slice(0, 60)}.`);
      const stored = storedVariant(variant, image);
      const tag = `${image.sha256}-${stored}`;
      response.setHeader('ETag', `"${tag}"`);
      response.setHeader('Cache-Control', image.publishedAt === null ? UNPUBLISHED : IMMUTABLE);
      if (matchesEntityTag(parseEntityTags(request.headers['if-none-match']), tag)) {
        response.writeHead(304).end();
        return;
      }
      const key = objectKey(image.folder, stored);
      // The size of a smaller variant is not stored, but is always small enough to cache.
      const isCacheable = stored !== 'full' || image.bytes <= MAX_CACHED_OBJECT_BYTES;
      const bytes = isCacheable ? await cache.fetch(key) : undefined;
      const size = bytes?.length ?? image.bytes;
      // RFC 9110 §14.2: ranges apply to GET only.
      const range = request.method === 'GET' ? readByteRange(request.headers, size, tag) : undefined;
      const { start, end } = range ?? { start: 0, end: size - 1 };
      const stream = bytes || request.method === 'HEAD' ? undefined : await open(key, { start, end });
      response.writeHead(range ? 206 : 200, {
        'Content-Type': 'image/png',
        'Content-Length': end + 1 - start,
        'Accept-Ranges': 'bytes',
        'X-Content-Type-Options': 'nosniff',
        'Content-Disposition': `inline; filename="${imageId}${stored === 'full' ? '' : `-${stored}`}.png"`,
        // The content is untrusted: browsers must not run any of it.
        'Content-Security-Policy': "default-src 'none'; sandbox",
        ...(range ? { 'Content-Range': `bytes ${start}-${end}/${size}` } : {}),
      });
      if (request.method === 'HEAD') response.end();
      else if (bytes) response.end(range ? bytes.subarray(start, end + 1) : bytes);
      else if (stream) {
        response.setTimeout(STALLED_READER_MS, () => response.destroy());
        await pipeline(stream, response, { signal: call.signal });
      }
    },
  };
}

/** Reads the request message from its header. Throws INVALID_REQUEST. */
function readContentRequest({ streamRequest }: Pick<EndpointCall, 'streamRequest'>): {
  imageId: string;
  variant: Variant;
} {
  const { imageId, size } = readStreamRequest(ImageContentRequest, streamRequest);
  return { imageId, variant: SIZES[size] };
}
