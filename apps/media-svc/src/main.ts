import { createLog } from '@esd/service/log';
import { objectStoreDependency, openObjectStore } from '@esd/service/object-store';
import { runProcess } from '@esd/service/run-process';
import { startService } from '@esd/service/start-service';
import { loadConfig } from './config.ts';

const config = loadConfig();
const log = createLog('media-svc', config.ESD_LOG_LEVEL);

runProcess(log, () => {
  const store = openObjectStore(config);
  return startService({
    config,
    log,
    rpcServices: [],
    dependencies: [objectStoreDependency(store, config.ESD_S3_BUCKET, true)],
    protos: [],
  });
});
