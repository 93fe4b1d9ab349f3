import { DatasetServiceService } from '@esd/proto/esd/dataset/v1/dataset';
import { ReferenceServiceService } from '@esd/proto/esd/dataset/v1/reference';
import { VersionServiceService } from '@esd/proto/esd/dataset/v1/versions';
import { openNats } from '@esd/events/nats';
import { republish } from '@esd/events/outbox';
import { startRelay } from '@esd/events/relay';
import { type ByteHandler, bytePort, type ByteRoute } from '@esd/service/byte-port';
import { callGuard } from '@esd/service/call-guard';
import { createLog } from '@esd/service/log';
import { objectStoreDependency, openObjectStore } from '@esd/service/object-store';
import { rpcClient } from '@esd/service/rpc-client';
import { rpcHealthDependency } from '@esd/service/rpc-health';
import { runProcess } from '@esd/service/run-process';
import { openServiceDatabase } from '@esd/service/service-database';
import { serviceProof } from '@esd/service/service-proof';
import { openSpool } from '@esd/service/spool';
import { startService } from '@esd/service/start-service';
import { migrations } from '../migrations/index.ts';
import { loadConfig } from './config.ts';
import { exportDataset } from './export/export-dataset.ts';
import { forgetFile } from './file/built-file.store.ts';
import { openBuiltFiles } from './file/built-files.ts';
import { openFileStore } from './file/file-store.ts';
import { imageOpener } from './file/open-image.ts';
import { storedFileSender } from './file/send-stored-file.ts';
import { startFileSweeper } from './file/sweep-built-files.ts';
import { findFreezeFiles } from './freeze/freeze-job.store.ts';
import { startFreezeRunner } from './freeze/freeze-runner.ts';
import { freezeRpc } from './rpc/freeze.rpc.ts';
import { usageRpc } from './rpc/usage.rpc.ts';
import { newestLists } from './reference-lists.ts';
import type { Tables } from './tables.ts';
import { templateFile } from './template/template-file.ts';
import { openUsage } from './usage/usage.ts';
import { parseExcel } from './workbook-import/parse-excel.ts';
import { openParseWorkers } from './workbook-import/parse-workers.ts';

/** Of each scan; a reader that stalls holds as much. */
const SCAN_WINDOW_BYTES = 256 * 1024;

const config = loadConfig();
const log = createLog('export-svc', config.ESD_LOG_LEVEL);

runProcess(log, async () => {
  const { database, dependency, watched } = await openServiceDatabase<Tables>(config, migrations, log);
  if (process.argv[2] === 'republish') {
    log.info({ events: await republish(database, process.argv[3]) }, 'events will be published again');
    process.exit(0);
  }
  const objects = openObjectStore(config);
  const store = openFileStore(objects, config.ESD_S3_BUCKET);
  const nats = openNats(config, 'export-svc', log);
  const proof = serviceProof('export-svc', config);
  const guard = callGuard(config, log);
  const datasetSide = { target: config.ESD_DATASET_TARGET, proof };
  const dataset = rpcClient(DatasetServiceService, {
    ...datasetSide,
    windowBytes: SCAN_WINDOW_BYTES,
    retry: ['getHead'],
  });
  const versions = rpcClient(VersionServiceService, { ...datasetSide, retry: ['findVersion'] });
  const reference = rpcClient(ReferenceServiceService, { ...datasetSide, retry: ['getLists'] });

  const lists = newestLists(reference);
  const usage = openUsage(database, log);
  const spool = await openSpool('esd-export', { megabytes: config.ESD_TEMP_MB });
  const workers = openParseWorkers(log);
  const built = openBuiltFiles(database, store, spool, log);
  const openImage = imageOpener(config.ESD_MEDIA_HTTP, proof);
  const freezing = { database, dataset, versions, store, openImage, spool };
  const runner = startFreezeRunner(freezing, log);
  const exporting = exportDataset({
    dataset,
    versions,
    built,
    forget: (key, file) => forgetFile(database, key, file),
    findVersionFile: async (jobId, format) =>
      (await findFreezeFiles(database, jobId)).find((file) => file.format === format),
    send: storedFileSender(store),
    openImage,
    log,
    countDownload: () => {
      usage.count('downloads');
    },
  });
  const stopService = await startService({
    config,
    log,
    guard,
    rpcServices: [
      freezeRpc(freezing, () => {
        runner.wake();
      }),
      usageRpc(usage),
    ],
    dependencies: [
      dependency,
      rpcHealthDependency('dataset-svc', dataset.channel, true),
      objectStoreDependency(objects, config.ESD_S3_BUCKET, false),
      nats.dependency,
    ],
    http: bytePort(
      [
        download(/\/public\/dataset\/export/, exporting),
        download(/\/snapshot\/export/, exporting),
        download(/\/data\/template\.xlsx/, templateFile(lists)),
        {
          methods: ['POST'],
          path: /\/data\/parse-excel/,
          handle: parseExcel({ lists, spool, workers }),
        },
      ],
      { guard, log },
    ),
    watched: [watched],
    protos: ['esd/export/v1/export.proto'],
  });
  const stopRelay = startRelay({ database, databaseUrl: config.ESD_DATABASE_URL, nats, log });
  const stopSweeper = startFileSweeper(
    database,
    store,
    { hours: config.ESD_EXPORT_KEEP_HOURS, megabytes: config.ESD_EXPORT_KEEP_MB },
    log,
  );
  return [
    ...stopService,
    () => built.stop(),
    () => runner.stop(),
    () => workers.stop(),
    () => spool.close(),
    // What was downloaded to the end counts.
    () => usage.stop(),
    stopSweeper,
    stopRelay,
    () => {
      dataset.channel.close();
      versions.channel.close();
      reference.channel.close();
    },
    () => nats.close(),
    () => database.destroy(),
  ];
});

function download(path: RegExp, handle: ByteHandler): ByteRoute {
  return { methods: ['GET', 'HEAD'], path, handle };
}
