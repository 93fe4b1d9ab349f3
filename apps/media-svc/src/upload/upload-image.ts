import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { ALLOWANCES } from '@esd/api/allowances';
import type { Endpoint } from '@esd/service/http/internal-endpoints';
import { clientShares } from '@esd/service/client-shares';
import type { ErrorItem } from '@esd/service/http/error-body';
import type { Logger } from '@esd/service/health/log';
import type { TempStorage } from '@esd/service/http/temp-storage';
import type { ObjectStore } from '@esd/object-store/object-store';
import type { Tables } from '../tables.ts';
import type { DecodeLimiter } from './decode-limiter.ts';
import { encodeImage } from './encode-image.ts';
import { readDescription } from './image-definition.ts';
import { inspectImage } from './inspect-image.ts';
import { checkQuota, type Quota } from './quota.ts';
import { announcedBytes, readUpload } from './read-upload.ts';
import { storeImage } from './store-image.ts';

interface UploadDependencies {
  database: Kysely<Tables>;
  objects: ObjectStore;
  decoders: DecodeLimiter;
  tempStorage: TempStorage;
  quota: Quota;
  log: Logger;
}

interface UploadAnswer {
  imageId: string;
  imageType?: string;
  imageDefinition?: Record<string, unknown>;
  width: number;
  height: number;
  stretched?: true;
  bytes: number;
  sha256: string;
  contentUrl: string;
  warnings: ErrorItem[];
}

/**
 * POST /images/upload: stores an unattached image as a PNG. Throws the errors of readUpload, readDescription, inspectImage,
 * encodeImage, and storeImage. Throws RATE_LIMITED or UNAVAILABLE for too many uploads, per client or in total, or if the
 * temporary storage is full. An upload waits for a decoder only after its whole body has arrived.
 */
export function uploadImage(dependencies: UploadDependencies): Endpoint {
  const uploads = clientShares({ name: 'uploads', max: ALLOWANCES.shares.uploads.amount });
  return {
    methods: ['POST'],
    path: /^\/images\/upload$/,
    handle: async (call, request, response) => {
      const end = uploads.acquire(call.client);
      try {
        const use = { client: call.client, bytes: announcedBytes(request) };
        const answer = await dependencies.tempStorage.during(async (folder, full) => {
          // Refuses the upload before its body is read.
          const uploader = { accountId: call.caller?.accountId, ip: call.clientIp };
          await checkQuota(dependencies.database, dependencies.quota, uploader, 0);
          const { file, ...texts } = await readUpload(request, folder);
          const { imageType, definition, pixelSize } = readDescription(texts.imageType, texts.imageDefinition);
          const inspected = await inspectImage(file);
          const scale = pixelSize === undefined ? inspected.scale : {};
          const encoded = await dependencies.decoders.run(
            { client: call.client, image: inspected, signal: AbortSignal.any([call.signal, full]) },
            (until) => encodeImage(file, folder, inspected, pixelSize ?? scale.pixelSize, until),
          );
          full.throwIfAborted();
          const imageDefinition =
            scale.pixelSize === undefined
              ? definition
              : { ...definition, pixelSize: scale.pixelSize, pixelSizeUnit: 'nm' };
          const id = randomUUID();
          const image = { id, sha256: encoded.sha256, imageType, imageDefinition, uploader };
          await storeImage(dependencies, encoded, image, AbortSignal.any([call.signal, full]));
          const { width, height, stretched, bytes, sha256 } = encoded;
          return {
            imageId: id,
            ...(imageType === undefined ? {} : { imageType }),
            ...(imageDefinition === undefined ? {} : { imageDefinition }),
            width,
            height,
            ...(stretched ? { stretched } : {}),
            bytes,
            sha256,
            contentUrl: `/images/${id}/content`,
            warnings: [...inspected.warnings, ...(scale.warning === undefined ? [] : [scale.warning])],
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
