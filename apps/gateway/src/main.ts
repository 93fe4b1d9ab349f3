import { runService } from '@esd/service/run-service';
import { loadConfig } from './config.ts';
import { startGateway } from './service.ts';

process.exit(
  await runService(
    { name: 'gateway', loadConfig, start: (config, log) => startGateway(config, log) },
    process.argv.slice(2),
  ),
);
