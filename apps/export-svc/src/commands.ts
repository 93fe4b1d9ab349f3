import { republish } from '@esd/events/outbox';
import { openDatabase } from '@esd/service/database/postgres';
import { migrateServiceDatabase } from '@esd/service/database/service-database';
import type { Command } from '@esd/service/run-service';
import { migrations } from '../migrations/index.ts';
import type { ExportConfig } from './config.ts';
import type { Tables } from './tables.ts';

export const commands: Readonly<Record<string, Command<ExportConfig>>> = {
  migrate: (config, log) => migrateServiceDatabase(config, migrations, log),

  /** Publishes the whole outbox again, or its events since a time. */
  republish: async (config, log, [since]) => {
    await using database = openDatabase<Tables>(config.ESD_DATABASE_URL, config.ESD_DATABASE_CONNECTIONS, log);
    log.info({ events: await republish(database, since) }, 'events will be published again');
  },
};
