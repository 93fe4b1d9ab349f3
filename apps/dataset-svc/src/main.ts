import { runService } from '@esd/service/run-service';
import { commands } from './commands.ts';
import { loadConfig } from './config.ts';
import { startDataset } from './service.ts';

process.exit(
  await runService({ name: 'dataset-svc', loadConfig, start: startDataset, commands }, process.argv.slice(2)),
);
