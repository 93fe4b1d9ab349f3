import type { Kysely } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';

/** Frozen, forward-only steps of a schema by name; names sort in the order of the steps. */
export type Migrations = Readonly<Record<string, Pick<Migration, 'up'>>>;

function migratorOf<Tables>(database: Kysely<Tables>, migrations: Migrations): Migrator {
  return new Migrator({ db: database, provider: { getMigrations: () => Promise.resolve({ ...migrations }) } });
}

/** Brings the schema up to date under the migrator's lock; throws what the failing step threw. */
export async function migrate<Tables>(database: Kysely<Tables>, migrations: Migrations): Promise<string[]> {
  const { error, results } = await migratorOf(database, migrations).migrateToLatest();
  if (error) throw Error.isError(error) ? error : new Error('a migration failed', { cause: error });
  return (results ?? []).map((step) => step.migrationName);
}

/** The steps that the schema still lacks. */
export async function pendingMigrations<Tables>(database: Kysely<Tables>, migrations: Migrations): Promise<string[]> {
  const steps = await migratorOf(database, migrations).getMigrations();
  return steps.filter((step) => step.executedAt === undefined).map((step) => step.name);
}
