import { openNats } from '@esd/events/nats';
import { outboxGauges, outboxState } from '@esd/events/outbox';
import { startRelay } from '@esd/events/relay';
import { readDatasetFacts } from '@esd/dataset-client/dataset-facts';
import { datasetDescriptions } from '@esd/dataset-client/dataset-descriptions';
import { openReferenceLists } from '@esd/dataset-client/reference-lists';
import { type ObjectStoreConfig, openObjectStore } from '@esd/object-store/object-store';
import { DatasetServiceService } from '@esd/proto/esd/dataset/v1/dataset';
import { ReferenceServiceService } from '@esd/proto/esd/dataset/v1/reference';
import { QueryServiceService } from '@esd/proto/esd/dataset/v1/queries';
import { SnapshotServiceService } from '@esd/proto/esd/dataset/v1/snapshots';
import { ReleaseServiceService } from '@esd/proto/esd/dataset/v1/releases';
import { PEERS } from '@esd/proto/peers';
import { callGuard } from '@esd/service/auth/call-guard';
import { type ServiceAssertions, serviceAssertions } from '@esd/service/auth/service-assertion';
import { readTls, type Tls } from '@esd/service/auth/tls';
import { openServiceDatabase } from '@esd/service/database/service-database';
import type { Logger } from '@esd/service/health/log';
import { type Endpoint, type EndpointHandler, internalEndpoints } from '@esd/service/http/internal-endpoints';
import { openTempStorage, type TempStorage } from '@esd/service/http/temp-storage';
import { type CallLimits, callLimits } from '@esd/service/rpc/call-limit';
import { rpcClient } from '@esd/service/rpc/rpc-client';
import { rpcHealthDependency } from '@esd/service/rpc/rpc-health';
import { type RunningServers, startServers } from '@esd/service/start-servers';
import { Wake } from '@esd/service/wake';
import type { Kysely } from 'kysely';
import { migrations } from '../migrations/index.ts';
import type { ExportConfig } from './config.ts';
import { exportDataset } from './export/export-dataset.ts';
import { findFile, forgetFile, setBuiltFileTag } from './files/built-file.store.ts';
import { openBuiltFiles } from './files/built-files.ts';
import { imageOpener } from './files/open-image.ts';
import { storedFileSender } from './files/send-stored-file.ts';
import type { StoredFile } from './files/stored-file.ts';
import { startFileSweeper } from './files/sweep-built-files.ts';
import { adoptBuiltFile, findFreezeFiles, setFreezeFileTag } from './freeze/freeze-job.store.ts';
import { freezeGauges } from './freeze/freeze-job.store.ts';
import { startFreezeRunner } from './freeze/freeze-runner.ts';
import { freezeRpc } from './rpc/freeze.rpc.ts';
import { usageRpc } from './rpc/usage.rpc.ts';
import { stableFiles } from './stable/send-stable-file.ts';
import type { Tables } from './tables.ts';
import { templateFile } from './template/template-file.ts';
import { openUsage } from './usage/usage.ts';
import { parseExcel } from './workbook-import/parse-excel.ts';
import { openParseWorkers } from './workbook-import/parse-workers.ts';

/** The gRPC window of one scan, and the memory that a stalled client occupies. */
const SCAN_WINDOW_BYTES = 256 * 1024;

export interface Peer {
  serviceAssertions: ServiceAssertions;
  tls: Tls | undefined;
  limits?: CallLimits;
}

type ComposedConfig = ObjectStoreConfig &
  Pick<
    ExportConfig,
    | 'ESD_DATASET_FILE'
    | 'ESD_PUBLIC_URL'
    | 'ESD_DATASET_TARGET'
    | 'ESD_MEDIA_HTTP'
    | 'ESD_EXPORT_KEEP_HOURS'
    | 'ESD_EXPORT_KEEP_MB'
  >;

/** Composes export-svc without its servers, which tests replace with their own. */
export function composeExport(
  config: ComposedConfig,
  { database, tempStorage, peer, log }: { database: Kysely<Tables>; tempStorage: TempStorage; peer: Peer; log: Logger },
) {
  const facts = readDatasetFacts(config.ESD_DATASET_FILE);
  const target = { ...peer, service: 'dataset-svc' as const, target: config.ESD_DATASET_TARGET };
  const dataset = rpcClient(DatasetServiceService, {
    ...target,
    windowBytes: SCAN_WINDOW_BYTES,
    retry: ['getHead', 'explore'],
  });
  const releases = rpcClient(ReleaseServiceService, { ...target, retry: ['findRelease', 'listReleases'] });
  const snapshots = rpcClient(SnapshotServiceService, { ...target, retry: ['getSnapshot'] });
  const queries = rpcClient(QueryServiceService, { ...target, retry: ['getQuery'] });
  const reference = rpcClient(ReferenceServiceService, { ...target, retry: ['getLists'] });
  const lists = openReferenceLists(reference);
  const store = openObjectStore(config);
  const workers = openParseWorkers(log);
  const usage = openUsage(database, log);
  const built = openBuiltFiles({ database, store, tempStorage, log });
  const openImage = imageOpener(config.ESD_MEDIA_HTTP, peer);
  const root = config.ESD_PUBLIC_URL?.replace(/\/+$/, '') ?? '';
  const freezing = { database, dataset, releases, store, openImage, tempStorage, facts, root };
  const newJob = new Wake();
  const files = {
    facts,
    root,
    dataset,
    releases,
    snapshots,
    queries,
    built,
    forget: (key: string, file: StoredFile) => forgetFile(database, key, file),
    setBuiltFileTag: (key: string, entityTag: string | undefined) => setBuiltFileTag(database, key, entityTag),
    findReleaseFile: async (jobId: string, format: string) =>
      (await findFreezeFiles(database, jobId)).find((file) => file.format === format),
    setReleaseFileTag: (objectKey: string, entityTag: string | undefined) =>
      setFreezeFileTag(database, objectKey, entityTag),
    send: storedFileSender(store),
    openImage,
    log,
    countDownload: (version: string, format: string) => {
      usage.countDownload(version, format);
    },
  };
  const sendingStable = stableFiles({
    ...files,
    store,
    descriptions: datasetDescriptions({ dataset, releases, facts, root }),
    isKnown: async (key) => (await findFile(database, key)) !== undefined,
    adopt: (jobId, key, file) => adoptBuiltFile(database, jobId, key, file),
  });
  return {
    rpcServices: [
      freezeRpc(freezing, () => {
        newJob.now();
      }),
      usageRpc(usage),
    ],
    endpoints: [
      download(/\/public\/dataset\/export/, exportDataset(files)),
      download(/\/files\/(?<version>[^/]+)\/(?<name>[^/]+)/, sendingStable),
      download(/\/data\/template\.xlsx/, templateFile(lists)),
      { methods: ['POST'], path: /\/data\/parse-excel/, handle: parseExcel({ lists, dataset, tempStorage, workers }) },
    ] satisfies Endpoint[],
    usage,
    dependencies: [rpcHealthDependency('dataset-svc', dataset.channel, true), store.dependency],
    background: () => {
      const keep = { hours: config.ESD_EXPORT_KEEP_HOURS, megabytes: config.ESD_EXPORT_KEEP_MB };
      return [startFreezeRunner(freezing, log, newJob), startFileSweeper(database, store, keep, log)];
    },
    /** The functions to call once the servers have drained. */
    stops: [
      built,
      workers,
      usage,
      () => {
        for (const { channel } of [dataset, releases, snapshots, queries, reference]) channel.close();
      },
    ],
  };
}

/** Starts export-svc. Throws an Error if the configuration is not usable. */
export async function startExport(config: ExportConfig, log: Logger): Promise<RunningServers> {
  const tls = readTls(config, { ESD_MEDIA_HTTP: config.ESD_MEDIA_HTTP });
  const guard = callGuard(config, PEERS, log);
  const peer = { serviceAssertions: serviceAssertions('export-svc', config), limits: callLimits(config), tls };
  const { database, dependency, measured } = await openServiceDatabase<Tables>(config, migrations, log);
  const nats = openNats(config, 'export-svc', log);
  const tempStorage = await openTempStorage('esd-export', { megabytes: config.ESD_TEMP_MB });
  const { rpcServices, endpoints, dependencies, background, stops } = composeExport(config, {
    database,
    tempStorage,
    peer,
    log,
  });
  return await startServers({
    config,
    log,
    guard,
    tls,
    rpcServices,
    dependencies: [dependency, nats.dependency, ...dependencies],
    status: { outbox: () => outboxState(database) },
    http: internalEndpoints(endpoints, { guard, log }),
    measured: [measured, outboxGauges(database), freezeGauges(database)],
    background: () => [
      ...background(),
      ...stops,
      () => tempStorage.close(),
      startRelay({ database, databaseUrl: config.ESD_DATABASE_URL, nats, log }),
      () => nats.close(),
      () => database.destroy(),
    ],
  });
}

function download(path: RegExp, handle: EndpointHandler): Endpoint {
  return { methods: ['GET', 'HEAD'], path, handle };
}
