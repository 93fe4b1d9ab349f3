import { readConfig } from '@esd/service/config';
import { createLog } from '@esd/service/log';
import { runProcess } from '@esd/service/run-process';
import { openServiceDatabase } from '@esd/service/service-database';
import { startService } from '@esd/service/start-service';
import { migrations } from '../migrations/index.ts';
import { identitySettings } from './config.ts';
import { identityRpc } from './rpc/identity.rpc.ts';
import type { IdentityTables } from './tables.ts';

const config = readConfig(identitySettings);
const log = createLog('identity-svc', config.ESD_LOG_LEVEL);

runProcess(log, async () => {
  const { database, dependency } = await openServiceDatabase<IdentityTables>(config, migrations, log);
  const stops = await startService({
    config,
    log,
    rpcServices: [await identityRpc(config, database)],
    dependencies: [dependency],
    protos: ['esd/identity/v1/identity.proto'],
  });
  return [...stops, () => database.destroy()];
});
