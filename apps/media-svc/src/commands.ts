import { redrive } from '@esd/events/consumer';
import { openNats } from '@esd/events/nats';
import { openObjectStore } from '@esd/object-store/object-store';
import { openDatabase } from '@esd/service/database/postgres';
import { migrateServiceDatabase } from '@esd/service/database/service-database';
import type { Logger } from '@esd/service/health/log';
import type { Command } from '@esd/service/run-service';
import type { Kysely } from 'kysely';
import { migrations } from '../migrations/index.ts';
import type { MediaConfig } from './config.ts';
import { approvedRecordsConsumer } from './consumers.ts';
import { openImageUses } from './service.ts';
import { sweep } from './sweep/sweep.ts';
import { sweepText } from './sweep/sweep-text.ts';
import type { Tables } from './tables.ts';

export const commands: Readonly<Record<string, Command<MediaConfig>>> = {
  migrate: (config, log) => migrateServiceDatabase(config, migrations, log),

  redrive: async (config, log) => {
    await using database = open(config, log);
    const nats = openNats(config, 'media-svc', log);
    try {
      log.info({ events: await redrive(approvedRecordsConsumer(database, nats, log)) }, 'dead letters handled');
    } finally {
      await nats.close();
    }
  },

  /** Sweeps immediately and writes a report to standard output. */
  sweep: async (config, log) => {
    await using database = open(config, log);
    const { findUses, close } = openImageUses(config);
    try {
      process.stdout.write(sweepText(await sweep({ database, objects: openObjectStore(config), findUses })));
    } finally {
      close();
    }
  },
};

function open(config: MediaConfig, log: Logger): Kysely<Tables> {
  return openDatabase<Tables>(config.ESD_DATABASE_URL, config.ESD_DATABASE_CONNECTIONS, log);
}
