import { randomBytes, randomUUID } from 'node:crypto';
import { periodicJob } from '@esd/background/periodic-job';
import { startConsumer } from '@esd/events/consumer';
import { openNats } from '@esd/events/nats';
import { outboxGauges, outboxState } from '@esd/events/outbox';
import { startRelay } from '@esd/events/relay';
import { PEERS } from '@esd/proto/peers';
import { callGuard } from '@esd/service/auth/call-guard';
import { readTls } from '@esd/service/auth/tls';
import { openServiceDatabase } from '@esd/service/database/service-database';
import type { Logger } from '@esd/service/health/log';
import { type RunningServers, startServers } from '@esd/service/start-servers';
import { migrations } from '../migrations/index.ts';
import { openClients } from './clients.ts';
import type { SubmissionConfig } from './config.ts';
import { deletedAccountsConsumer } from './consumers.ts';
import { feedbackQueue } from './feedback/submit-feedback.ts';
import { originsBy } from './origin/origin.ts';
import { refreshFeatureRanges } from './prepare/feature-ranges.ts';
import { openWorkQueues } from './records/work-queues.ts';
import { reviewGauges } from './review/review-gauges.ts';
import { startRetention } from './retention/retention-job.ts';
import { contributorsRpc } from './rpc/contributors.rpc.ts';
import { feedbackRpc } from './rpc/feedback.rpc.ts';
import { imageUseRpc } from './rpc/image-use.rpc.ts';
import { moderationRpc } from './rpc/moderation.rpc.ts';
import { recordImagesRpc } from './rpc/record-images.rpc.ts';
import { recordMessagesRpc } from './rpc/record-messages.rpc.ts';
import { referenceUseRpc } from './rpc/reference-use.rpc.ts';
import { submissionRpc } from './rpc/submission.rpc.ts';
import { startPurging } from './stream/purge.ts';
import { streamGauges, streamState } from './stream/stream-state.ts';
import { startKeySweep } from './submit/key-sweep.ts';
import type { Tables } from './tables.ts';

const REFRESH_REFERENCES_MS = 1_000;
/** Starts submission-svc. Throws an Error for an invalid configuration. */
export async function startSubmission(config: SubmissionConfig, log: Logger): Promise<RunningServers> {
  const tls = readTls(config);
  const { database, dependency, measured } = await openServiceDatabase<Tables>(config, migrations, log);
  const nats = openNats(config, 'submission-svc', log);
  const clients = openClients(config, tls);
  const { images, references } = clients;
  const ranges = refreshFeatureRanges(clients.dataset, log);
  const originsOf = openOrigins(config, log);
  const anonymous = { originsOf, maxPending: config.ESD_ANONYMOUS_PENDING };
  const context = { database, references, ranges, images, anonymous, queues: openWorkQueues(), log };
  const keep = {
    rejectedDays: config.ESD_KEEP_REJECTED_DAYS,
    submitterDays: config.ESD_KEEP_SUBMITTER_DAYS,
    feedbackDays: config.ESD_KEEP_FEEDBACK_DAYS,
  };
  return await startServers({
    config,
    log,
    guard: callGuard(config, PEERS, log),
    tls,
    rpcServices: [
      submissionRpc({ ...context, keep }),
      recordImagesRpc(context),
      recordMessagesRpc(database),
      imageUseRpc(database),
      moderationRpc({ database, references, dataset: clients.dataset, stream: () => streamState(nats) }),
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
    status: { outbox: () => outboxState(database), events: () => streamState(nats) },
    watched: [nats.watched],
    measured: [measured, outboxGauges(database), streamGauges(nats), reviewGauges(database)],
    background: () => [
      startConsumer(deletedAccountsConsumer(context, nats)),
      startKeySweep(database, log),
      startRetention({ ...context, keep }),
      startRelay({ database, databaseUrl: config.ESD_DATABASE_URL, nats, log }),
      startPurging({ database, nats, log }),
      periodicJob({
        name: 'reference-lists',
        everyMs: REFRESH_REFERENCES_MS,
        firstMs: REFRESH_REFERENCES_MS,
        run: async () => {
          await references.refresh({ requestId: randomUUID() });
        },
        log,
      }),
      ranges,
      clients.close,
      () => nats.close(),
      () => database.destroy(),
    ],
  });
}

function openOrigins(config: SubmissionConfig, log: Logger) {
  if (config.ESD_ORIGIN_KEY === undefined) {
    log.warn(
      'ESD_ORIGIN_KEY is not set: limits for callers without an account apply per process and reset at each start',
    );
  }
  return originsBy(config.ESD_ORIGIN_KEY ?? randomBytes(32).toString('base64url'));
}
