import { redrive } from '@esd/events/consumer';
import { openNats } from '@esd/events/nats';
import { openDatabase } from '@esd/service/database/postgres';
import { migrateServiceDatabase } from '@esd/service/database/service-database';
import { ownStatus } from '@esd/service/http/own-status';
import { type Command, printResult } from '@esd/service/run-service';
import { readRecordId } from '@esd/service/record-id';
import { sql } from 'kysely';
import { migrations } from '../migrations/index.ts';
import type { DatasetConfig } from './config.ts';
import { datasetConsumers } from './consumers.ts';
import { findLogged } from './publish/record-progress.ts';
import { seed } from './seed.ts';
import type { Tables } from './tables.ts';

export const commands: Readonly<Record<string, Command<DatasetConfig>>> = {
  migrate: (config, log) => migrateServiceDatabase(config, migrations, log, seed),

  redrive: async (config, log) => {
    await using database = openDatabase<Tables>(config.ESD_DATABASE_URL, config.ESD_DATABASE_CONNECTIONS, log);
    await using nats = openNats(config, 'dataset-svc', log);
    const { recordApproved, recordWithdrawn, snapshotFrozen, accountDeleted } = datasetConsumers(database, nats, log);
    const ofRecords = (await redrive(recordApproved)) + (await redrive(recordWithdrawn));
    const events = ofRecords + (await redrive(snapshotFrozen)) + (await redrive(accountDeleted));
    log.info({ events }, 'dead letters handled');
  },

  /** Gives the dataset a new id, so that no client uses what it cached from a dataset that was replaced. */
  'dataset-id': async (config, log) => {
    await using database = openDatabase<Tables>(config.ESD_DATABASE_URL, config.ESD_DATABASE_CONNECTIONS, log);
    await database
      .updateTable('dataset_head')
      .set({ dataset_id: sql`gen_random_uuid()` })
      .execute();
    log.info('the dataset has a new id');
  },

  /** Prints whether a record has reached the log and the index of the running replica. */
  record: async (config, log, [id]) => {
    await using database = openDatabase<Tables>(config.ESD_DATABASE_URL, config.ESD_DATABASE_CONNECTIONS, log);
    const logged = await findLogged(database, readRecordId(id));
    const status = await ownStatus(config).catch(() => undefined);
    printResult({ ...logged, indexRevision: status?.dataset?.held });
  },
};
