import { readDatasetFacts } from '@esd/dataset-client/dataset-facts';
import { startConsumer } from '@esd/events/consumer';
import { openNats } from '@esd/events/nats';
import { PEERS } from '@esd/proto/peers';
import { callGuard } from '@esd/service/auth/call-guard';
import { readTls } from '@esd/service/auth/tls';
import { SettingsError } from '@esd/service/config';
import { openServiceDatabase } from '@esd/service/database/service-database';
import type { Logger } from '@esd/service/health/log';
import { type RunningServers, startServers } from '@esd/service/start-servers';
import { migrations } from '../migrations/index.ts';
import { openBodyStore } from './bodies/body-store.ts';
import { openBulkReads } from './bulk-reads.ts';
import type { DatasetConfig } from './config.ts';
import { datasetConsumers } from './consumers.ts';
import { getHead, revisionGauge } from './dataset-log/dataset-log.store.ts';
import { openExplorer } from './explore/explorer.ts';
import { openReadIndex } from './read-index/read-index.ts';
import { openQueryRows } from './query/query-rows.ts';
import { datasetRpc } from './rpc/dataset.rpc.ts';
import { queriesRpc } from './rpc/queries.rpc.ts';
import { referenceRpc } from './rpc/reference.rpc.ts';
import { snapshotsRpc } from './rpc/snapshots.rpc.ts';
import { releasesRpc } from './rpc/releases.rpc.ts';
import { openPaperReads } from './explore/paper-reads.ts';
import type { Resolver } from './resolver/find-paper.ts';
import { resolvePapers } from './resolver/resolve-papers.ts';
import { seed } from './seed.ts';
import { openSnapshotRows } from './snapshot/snapshot-rows.ts';
import type { Tables } from './tables.ts';

/** Starts dataset-svc. Throws an Error for a configuration that cannot work. */
export async function startDataset(config: DatasetConfig, log: Logger): Promise<RunningServers> {
  const { database, dependency, measured } = await openServiceDatabase<Tables>(config, migrations, log, seed);
  const index = openReadIndex({
    database,
    databaseUrl: config.ESD_DATABASE_URL,
    log,
  });
  const memoryMegabytes = config.ESD_BODIES_MEMORY_MB;
  const bodies = openBodyStore({ database, index: index.dependency, memoryMegabytes, log });
  const bulkReads = openBulkReads();
  const resolver = resolverOf(config);
  const nats = openNats(config, 'dataset-svc', log);
  const { recordApproved, recordWithdrawn, snapshotFrozen, accountDeleted } = datasetConsumers(database, nats, log);
  return await startServers({
    config,
    log,
    guard: callGuard(config, PEERS, log),
    tls: readTls(config),
    rpcServices: [
      datasetRpc({
        database,
        index,
        bodies,
        snapshotRows: openSnapshotRows(database),
        queryRows: openQueryRows(database),
        bulkReads,
        explorer: openExplorer(index, bodies, openPaperReads(database, bodies)),
      }),
      referenceRpc(database, index),
      releasesRpc(database, bodies, bulkReads),
      snapshotsRpc(database, index),
      queriesRpc(database, index, bulkReads),
    ],
    dependencies: [dependency, index.dependency, nats.dependency],
    status: {
      dataset: async () => {
        const { revision: head } = await getHead(database);
        // The index has no state while it is being filled.
        const indexed = await index.state().catch(() => undefined);
        return { head, held: indexed?.revision };
      },
    },
    measured: [measured, revisionGauge(database)],
    background: () => [
      startConsumer(recordApproved),
      startConsumer(recordWithdrawn),
      startConsumer(snapshotFrozen),
      startConsumer(accountDeleted),
      ...(resolver ? [resolvePapers({ database, databaseUrl: config.ESD_DATABASE_URL, index, resolver, log })] : []),
      () => index.stop(),
      () => bodies.stop(),
      () => nats.close(),
      () => database.destroy(),
    ],
  });
}

/** Returns the resolver of DOIs; undefined without one. Throws a SettingsError if its requests could not name a contact. */
function resolverOf({ ESD_DOI_RESOLVER: url, ESD_DATASET_FILE: file }: DatasetConfig): Resolver | undefined {
  if (url === undefined) return undefined;
  if (file === undefined)
    throw new SettingsError('ESD_DOI_RESOLVER requires ESD_DATASET_FILE, because its requests name the contact.');
  const { contact, publisher } = readDatasetFacts(file);
  const name = contact ?? publisher.url ?? publisher.name;
  return { url, userAgent: `electrospinning-dataset-service (${name.replaceAll(/[^\x20-\x7e]/g, '?')})` };
}
