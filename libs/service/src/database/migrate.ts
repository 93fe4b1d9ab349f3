import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { SettingsError } from '../config.ts';

/** Forward-only migrations by name; the names sort in execution order. Never change a published migration. */
export type Migrations = Readonly<Record<string, Pick<Migration, 'up'>>>;

const TABLE = 'kysely_migration';

/**
 * Migrates the schema under the migrator's lock and returns the executed migrations. Throws the error of a migration that fails.
 * Leaves the schema of a newer software release unchanged.
 */
export async function migrate<Tables>(database: Kysely<Tables>, migrations: Migrations): Promise<string[]> {
  const provider = {
    // Called under the lock, so a newer software release has either finished its migrations or waits.
    getMigrations: async () => ({ ...migrations, ...asDone(await newerMigrations(database, migrations)) }),
  };
  const { error, results } = await new Migrator({ db: database, provider }).migrateToLatest();
  if (error) throw Error.isError(error) ? error : new Error('a migration failed', { cause: error });
  return (results ?? []).map((step) => step.migrationName);
}

/** Returns entries for executed migrations that are unknown here; without them, the migrator would report corruption. */
function asDone(steps: readonly string[]): Migrations {
  const never = () => Promise.reject(new Error('migration of a newer software release'));
  return Object.fromEntries(steps.map((step) => [step, { up: never }]));
}

/**
 * Returns the migrations of a newer software release. It executes its own only after all those of this one; otherwise, the
 * database belongs to another service or to an earlier commit, and this throws a SettingsError.
 */
export async function newerMigrations<Tables>(database: Kysely<Tables>, migrations: Migrations): Promise<string[]> {
  const names = Object.keys(migrations).sort();
  const executed = await executedMigrations(database);
  const unknown = executed.filter((name) => !names.includes(name));
  if (unknown.length > 0 && names.some((name, index) => name !== executed[index])) {
    throw new SettingsError(
      `The database has unknown migrations: ${unknown.join(', ')}. Check that ESD_DATABASE_URL is the database of this service. ` +
        'A database of an earlier commit cannot be migrated: export its dataset with that commit, start with an empty database or ' +
        'data folder, and import the dataset.',
    );
  }
  return unknown;
}

async function executedMigrations<Tables>(database: Kysely<Tables>): Promise<string[]> {
  const { rows: tables } = await sql<{ found: boolean }>`select to_regclass(${TABLE}) is not null as found`.execute(
    database,
  );
  if (!tables[0]?.found) return [];
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(TABLE)} order by name`.execute(database);
  return rows.map(({ name }) => name);
}

export async function pendingMigrations<Tables>(database: Kysely<Tables>, migrations: Migrations): Promise<string[]> {
  const provider = { getMigrations: () => Promise.resolve({ ...migrations }) };
  const steps = await new Migrator({ db: database, provider }).getMigrations();
  return steps.filter((step) => step.executedAt === undefined).map((step) => step.name);
}
