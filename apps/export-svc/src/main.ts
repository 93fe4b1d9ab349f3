import { DatasetServiceService } from '@esd/proto/esd/dataset/v1/dataset';
import { createLog } from '@esd/service/log';
import { objectStoreDependency, openObjectStore } from '@esd/service/object-store';
import { rpcClient } from '@esd/service/rpc-client';
import { rpcHealthDependency } from '@esd/service/rpc-health';
import { runProcess } from '@esd/service/run-process';
import { startService } from '@esd/service/start-service';
import { bytePort } from './byte-port.ts';
import { loadConfig } from './config.ts';
import { exportDataset } from './export/export-dataset.ts';

const config = loadConfig();
const log = createLog('export-svc', config.ESD_LOG_LEVEL);

runProcess(log, async () => {
  const store = openObjectStore(config);
  const dataset = rpcClient(DatasetServiceService, {
    target: config.ESD_DATASET_TARGET,
    service: 'export-svc',
    serviceToken: config.ESD_SERVICE_TOKEN,
  });
  const stopService = await startService({
    config,
    log,
    rpcServices: [],
    dependencies: [
      rpcHealthDependency('dataset-svc', dataset.channel, true),
      objectStoreDependency(store, config.ESD_S3_BUCKET, false),
    ],
    http: bytePort({ '/public/dataset/export': exportDataset(dataset) }, config.ESD_PEER_TOKENS, log),
    protos: [],
  });
  return [
    ...stopService,
    () => {
      dataset.channel.close();
    },
  ];
});
