import { runService } from '@esd/service/run-service';
import { commands } from './commands.ts';
import { loadConfig } from './config.ts';
import { startMedia } from './service.ts';

process.exit(await runService({ name: 'media-svc', loadConfig, start: startMedia, commands }, process.argv.slice(2)));
