import { openNats } from '@esd/events/nats';
import { redrive, startConsumer } from '@esd/events/consumer';
import { SUBJECTS } from '@esd/events/stream';
import { createLog } from '@esd/service/log';
import { runProcess } from '@esd/service/run-process';
import { openServiceDatabase } from '@esd/service/service-database';
import { startService } from '@esd/service/start-service';
import { migrations } from '../migrations/index.ts';
import { loadConfig } from './config.ts';
import { type ApprovedRevision, logAppender } from './dataset-log/append-approved.ts';
import { decodeRecordApproved } from './dataset-log/record-approved.event.ts';
import { seedLists } from './reference/seed-lists.ts';
import { fillIndexRows } from './read-index/fill-index-rows.ts';
import { openReadIndex } from './read-index/read-index.ts';
import { datasetRpc } from './rpc/dataset.rpc.ts';
import { referenceRpc } from './rpc/reference.rpc.ts';
import type { Tables } from './tables.ts';

const config = loadConfig();
const log = createLog('dataset-svc', config.ESD_LOG_LEVEL);

runProcess(log, async () => {
  const { database, dependency } = await openServiceDatabase<Tables>(config, migrations, log, async (seeded) => {
    await seedLists(seeded);
    await fillIndexRows(seeded);
  });
  const index = openReadIndex({
    database,
    databaseUrl: config.ESD_DATABASE_URL,
    memoryLimit: config.ESD_INDEX_MEMORY,
    threads: config.ESD_INDEX_THREADS,
    log,
  });
  const append = logAppender(database);
  const nats = openNats(config, 'dataset-svc', log);
  const recordApproved = {
    nats,
    durable: 'dataset-svc-record-approved',
    subject: SUBJECTS.recordApproved,
    decode: decodeRecordApproved,
    handle: async (events: readonly ApprovedRevision[]) => {
      await append(events);
    },
    log,
  };
  if (process.argv[2] === 'redrive') {
    log.info({ events: await redrive(recordApproved) }, 'dead letters handled');
    process.exit(0);
  }
  const stopService = await startService({
    config,
    log,
    rpcServices: [datasetRpc(database, index), referenceRpc(database)],
    dependencies: [dependency, index.dependency, nats.dependency],
    protos: ['esd/dataset/v1/dataset.proto', 'esd/dataset/v1/reference.proto'],
  });
  return [
    ...stopService,
    startConsumer(recordApproved),
    () => index.stop(),
    () => nats.close(),
    () => database.destroy(),
  ];
});
