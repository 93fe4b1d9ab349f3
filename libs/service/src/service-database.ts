import type { Kysely } from 'kysely';
import { Gauge } from 'prom-client';
import { isTransient } from './errors.ts';
import type { Logger } from './log.ts';
import { migrate, type Migrations, newerMigrations, pendingMigrations } from './migrate.ts';
import { metrics } from './metrics.ts';
import { databaseSize, openDatabase, pingDatabase } from './postgres.ts';
import type { Dependency } from './readiness.ts';
import { retryForever } from './retry.ts';
import type { Watched } from './warnings.ts';

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

interface DatabaseConfig {
  ESD_DATABASE_URL: string;
  ESD_DATABASE_CONNECTIONS: number;
  ESD_MIGRATE: 'auto' | 'off';
}

const MIGRATION_MS = 3_600_000;
const MIGRATE_WAITS_MS = 60_000;

/**
 * Opens the database of a service. As `main.ts migrate` it only migrates, waits up to a minute for the server, and ends the
 * process; with ESD_MIGRATE=auto it migrates before it returns, waiting for the server as long as that takes.
 * `seed` runs after the migrations and must be repeatable. A schema that a newer release has migrated is served as it is, and
 * not seeded: in a roll-out the old copies run, and start again, beside the new ones.
 */
export async function openServiceDatabase<Tables>(
  config: DatabaseConfig,
  migrations: Migrations,
  log: Logger,
  seed: (database: Kysely<Tables>) => Promise<void> = () => Promise.resolve(),
): Promise<ServiceDatabase<Tables>> {
  const database = openDatabase<Tables>(config.ESD_DATABASE_URL, config.ESD_DATABASE_CONNECTIONS, log);
  const bringUp = async (): Promise<void> => {
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
  const bringUpWhile = (retriable: (error: unknown) => boolean): Promise<void> =>
    retryForever(bringUp, {
      retriable,
      onFailure: (err) => {
        log.warn({ err }, 'cannot migrate yet');
      },
    });
  if (process.argv[2] === 'migrate') {
    const giveUpAt = Date.now() + MIGRATE_WAITS_MS;
    await bringUpWhile((error) => isTransient(error) && Date.now() < giveUpAt);
    await database.destroy();
    process.exit(0);
  }
  if (config.ESD_MIGRATE === 'auto') await bringUpWhile(isTransient);
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
