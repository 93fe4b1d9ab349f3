import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { ByteRoute } from '@esd/service/byte-port';
import type { ErrorItem } from '@esd/service/error-body';
import { ServiceError } from '@esd/service/errors';
import type { Logger } from '@esd/service/log';
import type { Spool } from '@esd/service/spool';
import type { ObjectFiles } from '../object-files.ts';
import type { Tables } from '../tables.ts';
import type { DecodeQueue } from './decode-queue.ts';
import { encodeImage } from './encode-image.ts';
import { describedImage } from './image-definition.ts';
import { inspectImage } from './inspect-image.ts';
import { checkQuota, type Quota } from './quota.ts';
import { readUpload } from './read-upload.ts';
import { storeImage } from './store-image.ts';

/** Uploads that are under way at once, at most: each may have 20 MB on disk. */
const UPLOADS = 64;

interface Parts {
  database: Kysely<Tables>;
  objects: ObjectFiles;
  queue: DecodeQueue;
  spool: Spool;
  quota: Quota;
  log: Logger;
}

// With the longest decoding that still ends before the gateway gives up.
const QUEUED_MS = 20_000;

/** What is answered to an upload. */
interface UploadAnswer {
  imageId: string;
  imageType?: string;
  imageDefinition?: Record<string, unknown>;
  width: number;
  height: number;
  bytes: number;
  sha256: string;
  contentUrl: string;
  warnings: ErrorItem[];
}

/**
 * POST /images/upload: takes an image in, as a PNG that no record holds yet. Refusals are those of readUpload,
 * describedImage, inspectImage, encodeImage and storeImage; UNAVAILABLE while too many uploads are under way.
 */
export function uploadImage(parts: Parts): ByteRoute {
  let underWay = 0;
  return {
    methods: ['POST'],
    path: /^\/images\/upload$/,
    handle: async (call, request, response) => {
      if (underWay >= UPLOADS) {
        request.resume();
        throw new ServiceError('UNAVAILABLE', 'Too many uploads are under way; try again.', undefined, 5);
      }
      underWay += 1;
      try {
        const answer = await parts.spool.during(async (folder) => {
          // What cannot be taken in is not read to its end.
          await checkQuota(parts.database, parts.quota, call.clientIp, 0);
          const { file, ...texts } = await readUpload(request, folder);
          const { imageType, definition, pixelSize } = describedImage(texts.imageType, texts.imageDefinition);
          const inspected = await inspectImage(file);
          const scale = pixelSize ?? inspected.pixelSize;
          const encoded = await parts.queue.run(
            inspected.heldBytes,
            () => encodeImage(file, folder, inspected, scale),
            AbortSignal.any([call.signal, turnWithin(QUEUED_MS)]),
          );
          const isPrefilled = pixelSize === undefined && inspected.pixelSize !== undefined;
          const imageDefinition = isPrefilled
            ? { ...definition, pixelSize: inspected.pixelSize, pixelSizeUnit: 'nm' }
            : definition;
          const id = randomUUID();
          const client = call.clientIp;
          await storeImage(parts, encoded, { id, sha256: encoded.sha256, imageType, imageDefinition, client });
          const { width, height, bytes, sha256 } = encoded;
          return {
            imageId: id,
            ...(imageType === undefined ? {} : { imageType }),
            ...(imageDefinition === undefined ? {} : { imageDefinition }),
            width,
            height,
            bytes,
            sha256,
            contentUrl: `/images/${id}/content`,
            warnings: [...inspected.warnings, ...(isPrefilled ? [prefilled(inspected.pixelSize)] : [])],
          } satisfies UploadAnswer;
        });
        const body = JSON.stringify(answer);
        response.writeHead(201, {
          'Content-Type': 'application/json; charset=utf-8',
          'Content-Length': Buffer.byteLength(body),
          'Cache-Control': 'no-store',
        });
        response.end(body);
      } finally {
        underWay -= 1;
      }
    },
  };
}

function prefilled(pixelSize: number | undefined): ErrorItem {
  return {
    path: 'imageDefinition.pixelSize',
    code: 'PIXEL_SIZE_FROM_FILE',
    message: `The edge of a pixel, ${pixelSize ?? ''} nm, was taken from the resolution of the TIFF.`,
  };
}

function turnWithin(ms: number): AbortSignal {
  const late = new AbortController();
  setTimeout(() => {
    late.abort(
      new ServiceError('UNAVAILABLE', 'Too many images wait to be read at the moment; try again.', undefined, 10),
    );
  }, ms).unref();
  return late.signal;
}
