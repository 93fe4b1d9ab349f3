import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Endpoint } from '@esd/service/http/internal-endpoints';
import { clientShares } from '@esd/service/client-shares';
import type { ErrorItem } from '@esd/service/http/error-body';
import type { Logger } from '@esd/service/health/log';
import type { TempStorage } from '@esd/service/http/temp-storage';
import type { ObjectStore } from '@esd/object-store/object-store';
import type { Tables } from '../tables.ts';
import type { DecodeLimiter } from './decode-limiter.ts';
import { encodeImage } from './encode-image.ts';
import { describedImage } from './image-definition.ts';
import { inspectImage } from './inspect-image.ts';
import { checkQuota, type Quota } from './quota.ts';
import { announcedBytes, readUpload } from './read-upload.ts';
import { storeImage } from './store-image.ts';

/** Uploads that are under way at once, at most; what they have on disk is bounded by the temporary storage. */
const MAX_UPLOADS = 256;

interface UploadDependencies {
  database: Kysely<Tables>;
  objects: ObjectStore;
  decoders: DecodeLimiter;
  tempStorage: TempStorage;
  quota: Quota;
  log: Logger;
}

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
 * POST /images/upload: stores an image as a PNG that no record holds yet. Refusals are those of readUpload,
 * describedImage, inspectImage, encodeImage and storeImage; RATE_LIMITED or UNAVAILABLE while too many uploads of the client
 * or in all are under way, or there is no room for the file. It waits for a decoder when the whole body is there.
 */
export function uploadImage(dependencies: UploadDependencies): Endpoint {
  const uploads = clientShares({ name: 'uploads', max: MAX_UPLOADS, retryAfterSeconds: 5 });
  return {
    methods: ['POST'],
    path: /^\/images\/upload$/,
    handle: async (call, request, response) => {
      const end = uploads.take(call.client);
      try {
        const use = { client: call.client, bytes: announcedBytes(request) };
        const answer = await dependencies.tempStorage.during(async (folder, full) => {
          // A body that cannot be stored is not read to its end.
          const uploader = { accountId: call.caller?.accountId, ip: call.clientIp };
          await checkQuota(dependencies.database, dependencies.quota, uploader, 0);
          const { file, ...texts } = await readUpload(request, folder);
          const { imageType, definition, pixelSize } = describedImage(texts.imageType, texts.imageDefinition);
          const inspected = await inspectImage(file);
          const scale = pixelSize ?? inspected.pixelSize;
          const encoded = await dependencies.decoders.run(
            { client: call.client, image: inspected, signal: AbortSignal.any([call.signal, full]) },
            (until) => encodeImage(file, folder, inspected, scale, until),
          );
          full.throwIfAborted();
          const isPrefilled = pixelSize === undefined && inspected.pixelSize !== undefined;
          const imageDefinition = isPrefilled
            ? { ...definition, pixelSize: inspected.pixelSize, pixelSizeUnit: 'nm' }
            : definition;
          const id = randomUUID();
          const image = { id, sha256: encoded.sha256, imageType, imageDefinition, uploader };
          await storeImage(dependencies, encoded, image, AbortSignal.any([call.signal, full]));
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
        }, use);
        const body = JSON.stringify(answer);
        response.writeHead(201, {
          'Content-Type': 'application/json; charset=utf-8',
          'Content-Length': Buffer.byteLength(body),
          'Cache-Control': 'no-store',
        });
        response.end(body);
      } finally {
        end();
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
