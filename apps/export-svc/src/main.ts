import { runService } from '@esd/service/run-service';
import { commands } from './commands.ts';
import { loadConfig } from './config.ts';
import { startExport } from './service.ts';

process.exit(await runService({ name: 'export-svc', loadConfig, start: startExport, commands }, process.argv.slice(2)));
