import { openNats } from '@esd/events/nats';
import { redrive, startConsumer } from '@esd/events/consumer';
import { callGuard } from '@esd/service/call-guard';
import { DURABLES } from '@esd/events/stream';
import { createLog } from '@esd/service/log';
import { runProcess } from '@esd/service/run-process';
import { openServiceDatabase } from '@esd/service/service-database';
import { startService } from '@esd/service/start-service';
import { migrations } from '../migrations/index.ts';
import { decodeAccountDeleted, type DeletedAccount } from '@esd/events/account-deleted';
import { eraseAccount } from './account/erase-account.ts';
import { openBulkReads } from './bulk-reads.ts';
import { loadConfig } from './config.ts';
import { type ApprovedRevision, logAppender } from './dataset-log/append-approved.ts';
import { decodeRecordApproved } from './dataset-log/record-approved.event.ts';
import { seedLists } from './reference/seed-lists.ts';
import { fillIndexRows } from './read-index/fill-index-rows.ts';
import { openReadIndex } from './read-index/read-index.ts';
import { datasetRpc } from './rpc/dataset.rpc.ts';
import { referenceRpc } from './rpc/reference.rpc.ts';
import { snapshotsRpc } from './rpc/snapshots.rpc.ts';
import { versionsRpc } from './rpc/versions.rpc.ts';
import type { Tables } from './tables.ts';
import { freezeVersion } from './version/freeze-version.ts';
import { decodeSnapshotFrozen, type FrozenVersion } from './version/snapshot-frozen.event.ts';

const config = loadConfig();
const log = createLog('dataset-svc', config.ESD_LOG_LEVEL);

runProcess(log, async () => {
  const { database, dependency, watched } = await openServiceDatabase<Tables>(
    config,
    migrations,
    log,
    async (seeded) => {
      await seedLists(seeded);
      await fillIndexRows(seeded);
    },
  );
  const guard = callGuard(config, log);
  const index = openReadIndex({
    database,
    databaseUrl: config.ESD_DATABASE_URL,
    memoryLimit: config.ESD_INDEX_MEMORY,
    threads: config.ESD_INDEX_THREADS,
    log,
  });
  const bulkReads = openBulkReads();
  const append = logAppender(database);
  const nats = openNats(config, 'dataset-svc', log);
  const recordApproved = {
    nats,
    ...DURABLES.datasetRecordApproved,
    decode: decodeRecordApproved,
    handle: async (events: readonly ApprovedRevision[]) => {
      await append(events);
    },
    log,
  };
  const snapshotFrozen = {
    nats,
    ...DURABLES.datasetSnapshotFrozen,
    decode: decodeSnapshotFrozen,
    handle: async (events: readonly FrozenVersion[]) => {
      for (const event of events) await freezeVersion(database, event, log);
    },
    log,
  };
  const accountDeleted = {
    nats,
    ...DURABLES.datasetAccountDeleted,
    decode: decodeAccountDeleted,
    handle: async (events: readonly DeletedAccount[]) => {
      for (const event of events) await eraseAccount(database, event);
    },
    log,
  };
  if (process.argv[2] === 'redrive') {
    const events = (await redrive(recordApproved)) + (await redrive(snapshotFrozen)) + (await redrive(accountDeleted));
    log.info({ events }, 'dead letters handled');
    process.exit(0);
  }
  const stopService = await startService({
    config,
    log,
    guard,
    rpcServices: [
      datasetRpc(database, index, bulkReads),
      referenceRpc(database),
      versionsRpc(database, bulkReads),
      snapshotsRpc(database, index),
    ],
    dependencies: [dependency, index.dependency, nats.dependency],
    watched: [watched],
    protos: [
      'esd/dataset/v1/dataset.proto',
      'esd/dataset/v1/reference.proto',
      'esd/dataset/v1/versions.proto',
      'esd/dataset/v1/snapshots.proto',
    ],
  });
  return [
    ...stopService,
    startConsumer(recordApproved),
    startConsumer(snapshotFrozen),
    startConsumer(accountDeleted),
    () => index.stop(),
    () => nats.close(),
    () => database.destroy(),
  ];
});
