import { randomUUID } from 'node:crypto';
import { redrive, startConsumer } from '@esd/events/consumer';
import { openNats } from '@esd/events/nats';
import { DURABLES } from '@esd/events/stream';
import { ImageUseServiceService } from '@esd/proto/esd/submission/v1/image_use';
import { bytePort } from '@esd/service/byte-port';
import { callGuard } from '@esd/service/call-guard';
import { createLog } from '@esd/service/log';
import { objectStoreDependency, openObjectStore } from '@esd/service/object-store';
import { rpcClient } from '@esd/service/rpc-client';
import { runProcess } from '@esd/service/run-process';
import { openServiceDatabase } from '@esd/service/service-database';
import { serviceProof } from '@esd/service/service-proof';
import { openSpool } from '@esd/service/spool';
import { startService } from '@esd/service/start-service';
import { migrations } from '../migrations/index.ts';
import { loadConfig } from './config.ts';
import { sendContent } from './content/send-content.ts';
import { objectFiles } from './object-files.ts';
import { publishImages } from './publish/publish-images.ts';
import { decodePublishedImages, type PublishedImages } from './publish/record-approved.event.ts';
import { imageRpc } from './rpc/image.rpc.ts';
import { startSweeping } from './sweep/start-sweeping.ts';
import { sweep } from './sweep/sweep.ts';
import { sweepText } from './sweep/sweep-text.ts';
import type { Tables } from './tables.ts';
import { decodeTurns } from './upload/decode-turns.ts';
import { prepareImageLibrary } from './upload/image-library.ts';
import { uploadImage } from './upload/upload-image.ts';

const MB = 1_000_000;

const config = loadConfig();
const log = createLog('media-svc', config.ESD_LOG_LEVEL);

runProcess(log, async () => {
  const { database, dependency, watched } = await openServiceDatabase<Tables>(config, migrations, log);
  const client = openObjectStore(config);
  const objects = objectFiles(client, config.ESD_S3_BUCKET);
  const guard = callGuard(config, log);
  const imageUses = rpcClient(ImageUseServiceService, {
    target: config.ESD_SUBMISSION_TARGET,
    proof: serviceProof('media-svc', config),
    retry: ['findImageUses'],
  });
  const sweepParts = {
    database,
    objects,
    findUses: async (imageIds: readonly string[]) =>
      (await imageUses.findImageUses({ imageIds: [...imageIds] }, { requestId: randomUUID() })).uses,
  };
  if (process.argv[2] === 'sweep') {
    process.stdout.write(sweepText(await sweep(sweepParts)));
    process.exit(0);
  }
  const nats = openNats(config, 'media-svc', log);
  const recordApproved = {
    nats,
    ...DURABLES.mediaRecordApproved,
    decode: decodePublishedImages,
    handle: (events: readonly PublishedImages[]) => publishImages(database, events, log),
    log,
  };
  if (process.argv[2] === 'redrive') {
    log.info({ events: await redrive(recordApproved) }, 'dead letters handled');
    process.exit(0);
  }
  prepareImageLibrary();
  const spool = await openSpool('esd-media', { megabytes: config.ESD_TEMP_MB });
  const turns = decodeTurns(config.ESD_IMAGE_WORKERS);
  const quota = {
    clientBytes: config.ESD_UNATTACHED_CLIENT_MB * MB,
    anonymousBytes: config.ESD_UNATTACHED_TOTAL_MB * MB * (config.ESD_UNATTACHED_ANONYMOUS_PERCENT / 100),
    totalBytes: config.ESD_UNATTACHED_TOTAL_MB * MB,
  };
  const stopService = await startService({
    config,
    log,
    guard,
    rpcServices: [imageRpc(database)],
    dependencies: [dependency, objectStoreDependency(client, config.ESD_S3_BUCKET, false), nats.dependency],
    http: bytePort([uploadImage({ database, objects, turns, spool, quota, log }), sendContent({ database, objects })], {
      guard,
      log,
    }),
    watched: [watched],
    protos: ['esd/media/v1/media.proto'],
  });
  return [
    ...stopService,
    startConsumer(recordApproved),
    startSweeping(sweepParts, log),
    () => nats.close(),
    () => spool.close(),
    () => {
      imageUses.channel.close();
    },
    () => database.destroy(),
  ];
});
