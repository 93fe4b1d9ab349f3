import { redrive } from '@esd/events/consumer';
import { openNats } from '@esd/events/nats';
import { republish } from '@esd/events/outbox';
import { openDatabase } from '@esd/service/database/postgres';
import { migrateServiceDatabase } from '@esd/service/database/service-database';
import type { Logger } from '@esd/service/health/log';
import type { Command } from '@esd/service/run-service';
import type { Kysely } from 'kysely';
import { migrations } from '../migrations/index.ts';
import type { IdentityConfig } from './config.ts';
import { recordMessagesConsumer, reviewedRecordsConsumer } from './consumers.ts';
import { resetTwoFactor } from './two-factor/reset-two-factor.ts';
import type { IdentityTables } from './tables.ts';

export const commands: Readonly<Record<string, Command<IdentityConfig>>> = {
  migrate: (config, log) => migrateServiceDatabase(config, migrations, log),

  /** Processes the dead letters again. */
  redrive: async (config, log) => {
    await using database = open(config, log);
    await using nats = openNats(config, 'identity-svc', log);
    const ofReviews = await redrive(reviewedRecordsConsumer(database, nats, log));
    const events = ofReviews + (await redrive(recordMessagesConsumer(database, nats, log)));
    log.info({ events }, 'dead letters handled');
  },

  /** Publishes the whole outbox again, or its events since a time. */
  republish: async (config, log, [since]) => {
    await using database = open(config, log);
    log.info({ events: await republish(database, since) }, 'events will be published again');
  },

  /** Turns two-factor sign-in of an account off. */
  'two-factor-reset': async (config, log, [email = '']) => {
    await using database = open(config, log);
    await resetTwoFactor(database, email);
    log.info('two-factor sign-in is off');
  },
};

function open(config: IdentityConfig, log: Logger): Kysely<IdentityTables> {
  return openDatabase<IdentityTables>(config.ESD_DATABASE_URL, config.ESD_DATABASE_CONNECTIONS, log);
}
