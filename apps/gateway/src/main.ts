import { readConfig } from '@esd/service/config';
import { runService } from '@esd/service/run-service';
import { settings } from './config.ts';
import { startGateway } from './service.ts';

process.exit(
  await runService(
    { name: 'gateway', loadConfig: () => readConfig(settings), start: (config, log) => startGateway(config, log) },
    process.argv.slice(2),
  ),
);
