import { runService } from '@esd/service/run-service';
import { commands } from './commands.ts';
import { loadConfig } from './config.ts';
import { startSubmission } from './service.ts';

process.exit(
  await runService({ name: 'submission-svc', loadConfig, start: startSubmission, commands }, process.argv.slice(2)),
);
