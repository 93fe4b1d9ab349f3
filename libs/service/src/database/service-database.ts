import type { Kysely } from 'kysely';
import type pg from 'pg';
import type { Gauge } from '@prometheus-io/client';
import { isTransient } from '../errors.ts';
import { failureLog } from '../health/failure-log.ts';
import type { Logger } from '../health/log.ts';
import { migrate, type Migrations, newerMigrations, pendingMigrations } from './migrate.ts';
import { gauge, type MeasuredGauges, onScrape } from '../health/metrics.ts';
import { databaseOf, databaseSize, openDatabase, openPool, pingDatabase } from './postgres.ts';
import type { Dependency } from '../health/readiness.ts';
import { retryForever } from '../retry.ts';

export interface ServiceDatabase<Tables> {
  database: Kysely<Tables>;
  /** Down while the database does not respond or its schema lacks migrations. */
  dependency: Dependency;
  /** The size of the database. */
  measured: MeasuredGauges;
}

// Undefined in a process without a database, which has no such metric.
let databaseBytes: Gauge | undefined;

/** Returns the last measured size of the database in bytes; undefined while it is unknown. */
export async function measuredDatabaseBytes(): Promise<number | undefined> {
  return (await databaseBytes?.get())?.values[0]?.value;
}

interface DatabaseConfig {
  ESD_DATABASE_URL: string;
  ESD_DATABASE_CONNECTIONS: number;
  ESD_MIGRATE: 'auto' | 'off';
}

const MIGRATION_MS = 3_600_000;
const MIGRATE_WAITS_MS = 60_000;

/** Fills tables after the migrations; must be idempotent. */
export type Seed<Tables> = (database: Kysely<Tables>) => Promise<void>;

/**
 * Opens the database of a service. With ESD_MIGRATE=auto, waits for the server without limit and migrates. Accepts the
 * schema of a newer software release, because old and new replicas run together during a rollout.
 */
export async function openServiceDatabase<Tables>(
  config: DatabaseConfig,
  migrations: Migrations,
  log: Logger,
  seed?: Seed<Tables>,
): Promise<ServiceDatabase<Tables>> {
  const pool = openPool(config.ESD_DATABASE_URL, config.ESD_DATABASE_CONNECTIONS, log);
  const database = databaseOf<Tables>(pool, config.ESD_DATABASE_URL);
  if (config.ESD_MIGRATE === 'auto') await migrateWhile(isTransient, config, migrations, log, seed);
  measurePool(pool, config.ESD_DATABASE_CONNECTIONS);
  const size = (databaseBytes = gauge('esd_db_size_bytes'));
  let current = false;
  return {
    database,
    dependency: {
      name: 'postgres',
      needed: true,
      check: async () => {
        if (current) return pingDatabase(database);
        const missing = await pendingMigrations(database, migrations);
        if (missing.length > 0) throw new Error(`the schema lacks the migrations ${missing.join(', ')}`);
        current = true;
      },
    },
    measured: {
      gauges: ['esd_db_size_bytes'],
      read: async () => {
        const bytes = await databaseSize(database);
        return () => {
          size.set(bytes);
        };
      },
    },
  };
}

function measurePool(pool: pg.Pool, limit: number): void {
  const connections = gauge('esd_db_connections');
  const waiting = gauge('esd_db_connections_waiting');
  gauge('esd_db_connections_limit').set(limit);
  onScrape('database', () => {
    connections.set({ state: 'in_use' }, pool.totalCount - pool.idleCount);
    connections.set({ state: 'idle' }, pool.idleCount);
    waiting.set(pool.waitingCount);
  });
}

/**
 * Migrates and seeds the database of a service; waits up to a minute for the server. Leaves the schema of a newer software
 * release unchanged and does not seed it.
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
    const connection = openDatabase<Tables>(config.ESD_DATABASE_URL, 2, log, MIGRATION_MS);
    try {
      const steps = await migrate(connection, migrations);
      if (steps.length > 0) log.info({ steps }, 'migrated');
      const newer = await newerMigrations(connection, migrations);
      if (newer.length > 0) log.warn({ newer }, 'schema of a newer software release; not migrated');
      else await seed(connection);
    } finally {
      await connection.destroy();
    }
  };
  await retryForever(migrateOnce, {
    retriable,
    onFailure: failureLog(log, 'migration failed; retrying'),
  });
}
