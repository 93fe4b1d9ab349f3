import { randomBytes } from 'node:crypto';
import { ImageServiceService } from '@esd/proto/esd/media/v1/media';
import { DatasetServiceService } from '@esd/proto/esd/dataset/v1/dataset';
import { ReferenceServiceService } from '@esd/proto/esd/dataset/v1/reference';
import { redrive, startConsumer } from '@esd/events/consumer';
import { openNats } from '@esd/events/nats';
import { republish } from '@esd/events/outbox';
import { startPurging } from '@esd/events/purge';
import { startRelay } from '@esd/events/relay';
import { callGuard } from '@esd/service/call-guard';
import { DURABLES } from '@esd/events/stream';
import { createLog } from '@esd/service/log';
import { rpcClient } from '@esd/service/rpc-client';
import { runProcess } from '@esd/service/run-process';
import { openServiceDatabase } from '@esd/service/service-database';
import { serviceProof } from '@esd/service/service-proof';
import { startService } from '@esd/service/start-service';
import { migrations } from '../migrations/index.ts';
import { decodeAccountDeleted, type DeletedAccount } from '@esd/events/account-deleted';
import { eraseAccount } from './account/erase-account.ts';
import { loadConfig } from './config.ts';
import { imageKeeper } from './images/image-keeper.ts';
import { keepReferences } from './reference/reference-cache.ts';
import { feedbackQueue } from './feedback/submit-feedback.ts';
import { originsBy } from './origin/origin.ts';
import { startRetention } from './retention/start-retention.ts';
import { contributorsRpc } from './rpc/contributors.rpc.ts';
import { feedbackRpc } from './rpc/feedback.rpc.ts';
import { imageUseRpc } from './rpc/image-use.rpc.ts';
import { moderationRpc } from './rpc/moderation.rpc.ts';
import { recordImagesRpc } from './rpc/record-images.rpc.ts';
import { referenceUseRpc } from './rpc/reference-use.rpc.ts';
import { submissionRpc } from './rpc/submission.rpc.ts';
import { startKeySweeper } from './submit/sweep-keys.ts';
import { takeTurns } from './submit/turns.ts';
import type { Tables } from './tables.ts';
import { keepFeatureRanges } from './warnings/feature-ranges.ts';

const config = loadConfig();
const log = createLog('submission-svc', config.ESD_LOG_LEVEL);

runProcess(log, async () => {
  const { database, dependency, watched } = await openServiceDatabase<Tables>(config, migrations, log);
  if (process.argv[2] === 'republish') {
    log.info({ events: await republish(database, process.argv[3]) }, 'events will be published again');
    process.exit(0);
  }
  const nats = openNats(config, 'submission-svc', log);
  const proof = serviceProof('submission-svc', config);
  const guard = callGuard(config, log);
  const imageService = rpcClient(ImageServiceService, {
    target: config.ESD_MEDIA_TARGET,
    proof,
    retry: ['describeImages', 'reserveImages', 'claimImages', 'cancelReservation'],
  });
  const images = imageKeeper(imageService);
  const accountDeleted = {
    nats,
    ...DURABLES.submissionAccountDeleted,
    decode: decodeAccountDeleted,
    handle: async (accounts: readonly DeletedAccount[]) => {
      for (const account of accounts) await eraseAccount({ database, images }, account);
    },
    log,
  };
  if (process.argv[2] === 'redrive') {
    log.info({ events: await redrive(accountDeleted) }, 'dead letters handled');
    process.exit(0);
  }
  const datasetSide = { target: config.ESD_DATASET_TARGET, proof };
  const referenceService = rpcClient(ReferenceServiceService, { ...datasetSide, retry: ['getLists'] });
  const references = keepReferences(referenceService, log);
  const datasetService = rpcClient(DatasetServiceService, { ...datasetSide, retry: ['getFeatureRanges'] });
  const ranges = keepFeatureRanges(datasetService, log);
  if (config.ESD_ORIGIN_KEY === undefined) {
    log.warn('there is no ESD_ORIGIN_KEY: this process counts what comes without an account for itself, until it ends');
  }
  const originsOf = originsBy(config.ESD_ORIGIN_KEY ?? randomBytes(32).toString('base64url'));
  const anonymous = { originsOf, maxPending: config.ESD_ANONYMOUS_PENDING };
  const parts = { database, references, ranges, images, anonymous, turns: takeTurns(), log };
  const stopService = await startService({
    config,
    log,
    guard,
    rpcServices: [
      submissionRpc(parts),
      recordImagesRpc(parts),
      imageUseRpc(database),
      moderationRpc({ database, references }),
      contributorsRpc(database),
      referenceUseRpc(database),
      feedbackRpc(database, {
        originsOf,
        imageBytes: config.ESD_FEEDBACK_IMAGES_MB * 1024 * 1024,
        daily: config.ESD_FEEDBACK_DAILY,
        queue: feedbackQueue(),
      }),
    ],
    dependencies: [dependency, nats.dependency],
    watched: [watched, nats.watched],
    protos: [
      'esd/submission/v1/submission.proto',
      'esd/submission/v1/contributors.proto',
      'esd/submission/v1/feedback.proto',
      'esd/submission/v1/reference_use.proto',
      'esd/submission/v1/record_images.proto',
      'esd/submission/v1/image_use.proto',
    ],
  });
  return [
    ...stopService,
    startConsumer(accountDeleted),
    startKeySweeper(database, log),
    startRetention({
      database,
      images,
      keep: {
        rejectedDays: config.ESD_KEEP_REJECTED_DAYS,
        submitterDays: config.ESD_KEEP_SUBMITTER_DAYS,
        feedbackDays: config.ESD_KEEP_FEEDBACK_DAYS,
      },
      log,
    }),
    startRelay({ database, databaseUrl: config.ESD_DATABASE_URL, nats, log }),
    startPurging({ database, nats, log }),
    () => {
      references.stop();
      ranges.stop();
      referenceService.channel.close();
      datasetService.channel.close();
      imageService.channel.close();
    },
    () => nats.close(),
    () => database.destroy(),
  ];
});
