import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Kysely } from 'kysely';
import type { ByteRoute } from '@esd/service/byte-port';
import { readByteRange } from '@esd/service/byte-range';
import { matchesEntityTag, parseEntityTags } from '@esd/service/entity-tag';
import { ServiceError } from '@esd/service/errors';
import { findImages } from '../image/image.store.ts';
import { objectKey, storedVariant, type Variant, VARIANTS } from '../image/variants.ts';
import type { ObjectFiles } from '../object-files.ts';
import type { Tables } from '../tables.ts';
import { keptObjects } from './kept-objects.ts';

const KEPT_BYTES = 64 * 1024 * 1024;
/** Larger ones are streamed each time. */
const LARGEST_KEPT_BYTES = 8 * 1024 * 1024;
const IMMUTABLE = 'public, max-age=31536000, immutable';
/** Nothing but who asked may keep what nobody has approved, or may still be deleted. */
const UNPUBLISHED = 'private, no-store';
const STALLED_READER_MS = 30_000;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * GET and HEAD of /images/{id}/content: the PNG, `size=medium` or `thumb` a smaller one; whoever knows the id may read it. With
 * a strong entity tag and ranges. IMAGE_NOT_FOUND, INVALID_PARAMETER for another size, UNAVAILABLE while the store is away
 * and the bytes are not in memory.
 */
export function sendContent({ database, objects }: { database: Kysely<Tables>; objects: ObjectFiles }): ByteRoute {
  const kept = keptObjects(KEPT_BYTES);
  return {
    methods: ['GET', 'HEAD'],
    path: /^\/images\/(?<id>[^/]+)\/content$/,
    handle: async (call, request, response) => {
      const id = call.parameters['id'] ?? '';
      const variant = variantOf(call.query.get('size'));
      const [image] = UUID.test(id) ? await findImages(database, [id]) : [];
      if (!image) throw new ServiceError('IMAGE_NOT_FOUND', `There is no image ${id.slice(0, 60)}.`);
      const stored = storedVariant(variant, image);
      const tag = `${image.sha256}-${stored}`;
      response.setHeader('ETag', `"${tag}"`);
      response.setHeader('Cache-Control', image.publishedAt === null ? UNPUBLISHED : IMMUTABLE);
      if (matchesEntityTag(parseEntityTags(request.headers['if-none-match']), tag)) {
        response.writeHead(304).end();
        return;
      }
      const key = objectKey(image.folder, stored);
      // The bytes of a smaller one are few: they are read to know how many.
      const isKeepable = stored !== 'full' || image.bytes <= LARGEST_KEPT_BYTES;
      const bytes = isKeepable ? await keptOrRead(key) : undefined;
      const size = bytes?.length ?? image.bytes;
      const range = request.method === 'GET' ? readByteRange(request.headers, size, tag) : undefined;
      const { start, end } = range ?? { start: 0, end: size - 1 };
      const length = end + 1 - start;
      const stream = bytes || request.method === 'HEAD' ? undefined : await open(key, { offset: start, length });
      response.writeHead(range ? 206 : 200, {
        'Content-Type': 'image/png',
        'Content-Length': length,
        'Accept-Ranges': 'bytes',
        'X-Content-Type-Options': 'nosniff',
        'Content-Disposition': `inline; filename="${id}${stored === 'full' ? '' : `-${stored}`}.png"`,
        // It comes from anybody: nothing in it may run where it is shown.
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

  async function keptOrRead(key: string): Promise<Buffer> {
    const known = kept.get(key);
    if (known) return known;
    const bytes = await buffer(await open(key));
    kept.set(key, bytes);
    return bytes;
  }

  async function open(key: string, range?: { offset: number; length: number }) {
    const stream = await objects.read(key, range);
    if (!stream) throw new Error(`the object ${key} is not in the store`);
    return stream;
  }
}

function variantOf(text: string | null): Variant {
  const variant = VARIANTS.find((one) => one === (text ?? 'full'));
  if (variant) return variant;
  throw new ServiceError(
    'INVALID_PARAMETER',
    `size=${(text ?? '').slice(0, 60)}: must be one of ${VARIANTS.join(', ')}.`,
  );
}
