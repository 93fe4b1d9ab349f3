import { openDatabase } from '@esd/service/database/postgres';
import { ServiceError } from '@esd/service/errors';
import { watchReadiness } from '@esd/service/health/readiness';
import { internalEndpoints } from '@esd/service/http/internal-endpoints';
import { startInternalHttp } from '@esd/service/http/internal-http';
import { openTempStorage } from '@esd/service/http/temp-storage';
import { stopAll } from '@esd/service/run-service';
import { namedPeer, trustingGuard } from '@esd/testing/peers';
import { demoDatasetFile } from '@esd/testing/demo';
import { composeExport } from '../src/service.ts';
import type { Tables } from '../src/tables.ts';
import { log, type openStores } from './dataset-servers.ts';

type Stores = Awaited<ReturnType<typeof openStores>>;

const NOWHERE = {
  ESD_S3_ENDPOINT: 'http://127.0.0.1:1',
  ESD_S3_ACCESS_KEY: 'x',
  ESD_S3_SECRET_KEY: 'x',
  ESD_S3_BUCKET: 'x',
};

/**
 * Starts the internal HTTP endpoints of export-svc with dataset-svc at `target`. Without stores, no file can be stored.
 * Every assertion except `bad` is that of an account with this name.
 */
export async function startEndpoints(target: string, stores?: Stores) {
  const config = {
    ESD_DATASET_FILE: demoDatasetFile,
    ESD_DATASET_TARGET: target,
    ESD_MEDIA_HTTP: ['http://127.0.0.1:1'],
    ESD_EXPORT_KEEP_HOURS: 24,
    ESD_EXPORT_KEEP_MB: 100,
    ...(stores?.objects.config ?? NOWHERE),
  };
  const database = stores?.database ?? openDatabase<Tables>('postgres://127.0.0.1:1/none', 1, log);
  const tempStorage = stores?.tempStorage ?? (await openTempStorage('esd-export-test'));
  const peer = { serviceAssertions: namedPeer('export-svc'), tls: undefined };
  const { endpoints, usage, stops } = composeExport(config, { database, tempStorage, peer, log });
  const guard = trustingGuard((assertion) => {
    if (assertion === 'bad') throw new ServiceError('TOKEN_INVALID', 'not good');
    return { accountId: assertion, role: 'USER', credential: 'pat' };
  });
  const readiness = watchReadiness([], log);
  const http = await startInternalHttp(
    { host: '127.0.0.1', port: 0 },
    readiness,
    internalEndpoints(endpoints, { guard, log }),
  );
  return {
    usage,
    url: `http://127.0.0.1:${http.port}`,
    stop: async () => {
      await http.drain(0.1);
      readiness.stop();
      await stopAll(stops);
      if (stores) return;
      await tempStorage.close();
      await database.destroy();
    },
  };
}
