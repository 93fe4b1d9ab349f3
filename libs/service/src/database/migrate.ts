import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';

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
 * Returns the migrations of a newer software release. Throws if an unknown migration is older than the newest known one,
 * because the database then belongs to another service.
 */
export async function newerMigrations<Tables>(database: Kysely<Tables>, migrations: Migrations): Promise<string[]> {
  const known = Object.keys(migrations).sort();
  const newest = known.at(-1) ?? '';
  const unknown = (await executedMigrations(database)).filter((name) => !known.includes(name));
  const strange = unknown.filter((name) => name < newest);
  if (strange.length > 0) {
    throw new Error(
      `the database has unknown migrations ${strange.join(', ')}; check that ESD_DATABASE_URL is the database of this service`,
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
