import { runService } from '@esd/service/run-service';
import { commands } from './commands.ts';
import { loadConfig } from './config.ts';
import { startIdentity } from './service.ts';

process.exit(
  await runService({ name: 'identity-svc', loadConfig, start: startIdentity, commands }, process.argv.slice(2)),
);
