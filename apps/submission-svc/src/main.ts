import { ReferenceServiceService } from '@esd/proto/esd/dataset/v1/reference';
import { openNats } from '@esd/events/nats';
import { startRelay } from '@esd/events/relay';
import { createLog } from '@esd/service/log';
import { rpcClient } from '@esd/service/rpc-client';
import { runProcess } from '@esd/service/run-process';
import { openServiceDatabase } from '@esd/service/service-database';
import { startService } from '@esd/service/start-service';
import { migrations } from '../migrations/index.ts';
import { loadConfig } from './config.ts';
import { keepReferences } from './reference/reference-cache.ts';
import { moderationRpc } from './rpc/moderation.rpc.ts';
import { submissionRpc } from './rpc/submission.rpc.ts';
import type { Tables } from './tables.ts';

const config = loadConfig();
const log = createLog('submission-svc', config.ESD_LOG_LEVEL);

runProcess(log, async () => {
  const { database, dependency } = await openServiceDatabase<Tables>(config, migrations, log);
  const nats = openNats(config, 'submission-svc', log);
  const referenceService = rpcClient(ReferenceServiceService, {
    target: config.ESD_DATASET_TARGET,
    service: 'submission-svc',
    serviceToken: config.ESD_SERVICE_TOKEN,
    retry: ['getLists'],
  });
  const references = keepReferences(referenceService, log);
  const stopService = await startService({
    config,
    log,
    rpcServices: [submissionRpc({ database, references }), moderationRpc(database)],
    dependencies: [dependency, nats.dependency],
    protos: ['esd/submission/v1/submission.proto'],
  });
  return [
    ...stopService,
    startRelay({ database, databaseUrl: config.ESD_DATABASE_URL, nats, log }),
    () => {
      references.stop();
      referenceService.channel.close();
    },
    () => nats.close(),
    () => database.destroy(),
  ];
});
