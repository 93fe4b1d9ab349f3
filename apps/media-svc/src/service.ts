import { randomUUID } from 'node:crypto';
import { ALLOWANCES } from '@esd/api/allowances';
import { startConsumer } from '@esd/events/consumer';
import { openNats } from '@esd/events/nats';
import { type ObjectStoreConfig, openObjectStore } from '@esd/object-store/object-store';
import { ImageUseServiceService } from '@esd/proto/esd/submission/v1/image_use';
import { PEERS } from '@esd/proto/peers';
import { callGuard } from '@esd/service/auth/call-guard';
import { serviceAssertions } from '@esd/service/auth/service-assertion';
import { readTls } from '@esd/service/auth/tls';
import { openServiceDatabase } from '@esd/service/database/service-database';
import type { Logger } from '@esd/service/health/log';
import { type Endpoint, internalEndpoints } from '@esd/service/http/internal-endpoints';
import { openTempStorage, type TempStorage } from '@esd/service/http/temp-storage';
import { callLimits } from '@esd/service/rpc/call-limit';
import { rpcClient } from '@esd/service/rpc/rpc-client';
import { type RunningServers, startServers } from '@esd/service/start-servers';
import type { Kysely } from 'kysely';
import { migrations } from '../migrations/index.ts';
import type { MediaConfig } from './config.ts';
import { approvedRecordsConsumer } from './consumers.ts';
import { sendContent } from './content/send-content.ts';
import { imageRpc } from './rpc/image.rpc.ts';
import { startSweeping } from './sweep/start-sweeping.ts';
import type { FindUses } from './sweep/sweep-images.ts';
import type { Tables } from './tables.ts';
import { type DecodeLimiter, decodeLimiter } from './upload/decode-limiter.ts';
import { prepareImageLibrary } from './upload/image-library.ts';
import { uploadImage } from './upload/upload-image.ts';

const MB = 1_000_000;

type ComposedConfig = ObjectStoreConfig &
  Pick<MediaConfig, 'ESD_IMAGE_WORKERS' | 'ESD_UNATTACHED_CLIENT_MB' | 'ESD_UNATTACHED_TOTAL_MB'>;

/** Composes media-svc without its servers, which tests replace. */
export function composeMedia(
  config: ComposedConfig,
  {
    database,
    tempStorage,
    decoders = decodeLimiter(config.ESD_IMAGE_WORKERS),
    log,
  }: { database: Kysely<Tables>; tempStorage: TempStorage; decoders?: DecodeLimiter; log: Logger },
) {
  prepareImageLibrary();
  const objects = openObjectStore(config);
  const totalBytes = config.ESD_UNATTACHED_TOTAL_MB * MB;
  const quota = {
    clientBytes: config.ESD_UNATTACHED_CLIENT_MB * MB,
    anonymousBytes: (totalBytes * ALLOWANCES.shares.anonymousUnattached.amount) / 100,
    totalBytes,
  };
  return {
    objects,
    rpcServices: [imageRpc(database)],
    endpoints: [
      uploadImage({ database, objects, decoders, tempStorage, quota, log }),
      sendContent({ database, objects, log }),
    ] satisfies Endpoint[],
  };
}

/** Connects to submission-svc, which finds the records that contain images. */
export function openImageUses(config: MediaConfig) {
  const { channel, findImageUses } = rpcClient(ImageUseServiceService, {
    service: 'submission-svc',
    target: config.ESD_SUBMISSION_TARGET,
    serviceAssertions: serviceAssertions('media-svc', config),
    limits: callLimits(config),
    tls: readTls(config),
    retry: ['findImageUses'],
  });
  const findUses: FindUses = async (imageIds) =>
    (await findImageUses({ imageIds: [...imageIds] }, { requestId: randomUUID() })).uses;
  return {
    findUses,
    close: () => {
      channel.close();
    },
  };
}

/** Starts media-svc. Throws an Error for an invalid configuration. */
export async function startMedia(config: MediaConfig, log: Logger): Promise<RunningServers> {
  const guard = callGuard(config, PEERS, log);
  const tls = readTls(config);
  const { findUses, close } = openImageUses(config);
  const { database, dependency, measured } = await openServiceDatabase<Tables>(config, migrations, log);
  const nats = openNats(config, 'media-svc', log);
  const tempStorage = await openTempStorage('esd-media', { megabytes: config.ESD_TEMP_MB });
  const { objects, rpcServices, endpoints } = composeMedia(config, { database, tempStorage, log });
  return await startServers({
    config,
    log,
    guard,
    tls,
    rpcServices,
    dependencies: [dependency, objects.dependency, nats.dependency],
    http: internalEndpoints(endpoints, { guard, log }),
    measured: [measured],
    background: () => [
      startConsumer(approvedRecordsConsumer(database, nats, log)),
      startSweeping({ database, objects, findUses }, log),
      () => nats.close(),
      () => tempStorage.close(),
      close,
      () => database.destroy(),
    ],
  });
}
