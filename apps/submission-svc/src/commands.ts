import { redrive } from '@esd/events/consumer';
import { openNats } from '@esd/events/nats';
import { republish } from '@esd/events/outbox';
import { readTls } from '@esd/service/auth/tls';
import { openDatabase } from '@esd/service/database/postgres';
import { migrateServiceDatabase } from '@esd/service/database/service-database';
import type { Logger } from '@esd/service/health/log';
import { readRecordId } from '@esd/service/record-id';
import { type Command, printResult, stopAll } from '@esd/service/run-service';
import type { Kysely } from 'kysely';
import { migrations } from '../migrations/index.ts';
import { openClients } from './clients.ts';
import type { SubmissionConfig } from './config.ts';
import { deletedAccountsConsumer } from './consumers.ts';
import { findPublication } from './review/publication.ts';
import { streamState } from './stream/stream-state.ts';
import type { Tables } from './tables.ts';

export const commands: Readonly<Record<string, Command<SubmissionConfig>>> = {
  migrate: (config, log) => migrateServiceDatabase(config, migrations, log),

  redrive: async (config, log) => {
    const database = open(config, log);
    const nats = openNats(config, 'submission-svc', log);
    const clients = openClients(config, readTls(config));
    try {
      const consumer = deletedAccountsConsumer({ database, images: clients.images, log }, nats);
      log.info({ events: await redrive(consumer) }, 'dead letters handled');
    } finally {
      await stopAll([() => nats.close(), () => database.destroy(), clients.close]);
    }
  },

  republish: async (config, log, [since]) => {
    await using database = open(config, log);
    log.info({ events: await republish(database, since) }, 'events will be published again');
  },

  /** Prints the newest decision on a record and the state of its event. */
  record: async (config, log, [id]) => {
    await using database = open(config, log);
    await using nats = openNats(config, 'submission-svc', log);
    printResult(await findPublication(database, () => streamState(nats), readRecordId(id)));
  },
};

function open(config: SubmissionConfig, log: Logger): Kysely<Tables> {
  return openDatabase<Tables>(config.ESD_DATABASE_URL, config.ESD_DATABASE_CONNECTIONS, log);
}
