import type { Kysely } from 'kysely';
import { Gauge } from 'prom-client';
import { isTransient } from '../errors.ts';
import type { Logger } from '../health/log.ts';
import { migrate, type Migrations, newerMigrations, pendingMigrations } from './migrate.ts';
import { metrics } from '../health/metrics.ts';
import { databaseSize, openDatabase, pingDatabase } from './postgres.ts';
import type { Dependency } from '../health/readiness.ts';
import { retryForever } from '../retry.ts';
import type { Watched } from '../health/warnings.ts';

export interface ServiceDatabase<Tables> {
  database: Kysely<Tables>;
  /** Down while the database does not answer or its schema is behind. */
  dependency: Dependency;
  /** Keeps the size of the database in the metrics. */
  watched: Watched;
}

const databaseBytes = new Gauge({
  name: 'esd_database_bytes',
  help: 'Size of the database of this service, in bytes.',
  registers: [metrics],
});

/** The size of the database in bytes when it was measured last; undefined before. */
export async function measuredDatabaseBytes(): Promise<number | undefined> {
  const bytes = (await databaseBytes.get()).values[0]?.value;
  // A gauge that was never set says 0, which no database is.
  return bytes === 0 ? undefined : bytes;
}

interface DatabaseConfig {
  ESD_DATABASE_URL: string;
  ESD_DATABASE_CONNECTIONS: number;
  ESD_MIGRATE: 'auto' | 'off';
}

const MIGRATION_MS = 3_600_000;
const MIGRATE_WAITS_MS = 60_000;

/** Fills tables after the migrations; must be repeatable. */
export type Seed<Tables> = (database: Kysely<Tables>) => Promise<void>;

/**
 * Opens the database of a service; with ESD_MIGRATE=auto it migrates before it returns, waiting for the server as long as that
 * takes. A schema that a newer release has migrated is served as it is: in a roll-out the old copies run, and start again,
 * beside the new ones.
 */
export async function openServiceDatabase<Tables>(
  config: DatabaseConfig,
  migrations: Migrations,
  log: Logger,
  seed?: Seed<Tables>,
): Promise<ServiceDatabase<Tables>> {
  const database = openDatabase<Tables>(config.ESD_DATABASE_URL, config.ESD_DATABASE_CONNECTIONS, log);
  if (config.ESD_MIGRATE === 'auto') await migrateWhile(isTransient, config, migrations, log, seed);
  let current = false;
  return {
    database,
    dependency: {
      name: 'postgres',
      needed: true,
      check: async () => {
        if (current) return pingDatabase(database);
        const missing = await pendingMigrations(database, migrations);
        if (missing.length > 0) throw new Error(`the schema lacks ${missing.join(', ')}`);
        current = true;
      },
    },
    watched: {
      name: 'postgres',
      check: async () => {
        databaseBytes.set(await databaseSize(database));
        return undefined;
      },
    },
  };
}

/**
 * Migrates the database of a service and seeds it, waiting up to a minute for the server. A schema that a newer release has
 * migrated stays as it is, and is not seeded.
 */
export async function migrateServiceDatabase<Tables>(
  config: DatabaseConfig,
  migrations: Migrations,
  log: Logger,
  seed?: Seed<Tables>,
): Promise<void> {
  const giveUpAt = Date.now() + MIGRATE_WAITS_MS;
  await migrateWhile((error) => isTransient(error) && Date.now() < giveUpAt, config, migrations, log, seed);
}

async function migrateWhile<Tables>(
  retriable: (error: unknown) => boolean,
  config: DatabaseConfig,
  migrations: Migrations,
  log: Logger,
  seed: Seed<Tables> = () => Promise.resolve(),
): Promise<void> {
  const migrateOnce = async (): Promise<void> => {
    // A step may rewrite a table of millions of rows.
    const patient = openDatabase<Tables>(config.ESD_DATABASE_URL, 2, log, MIGRATION_MS);
    try {
      const steps = await migrate(patient, migrations);
      if (steps.length > 0) log.info({ steps }, 'migrated');
      const newer = await newerMigrations(patient, migrations);
      if (newer.length > 0) log.warn({ newer }, 'the schema is that of a newer release; it stays as it is');
      else await seed(patient);
    } finally {
      await patient.destroy();
    }
  };
  await retryForever(migrateOnce, {
    retriable,
    onFailure: (err) => {
      log.warn({ err }, 'cannot migrate yet');
    },
  });
}
