import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';

/** Frozen, forward-only steps of a schema by name; names sort in the order of the steps. */
export type Migrations = Readonly<Record<string, Pick<Migration, 'up'>>>;

const TABLE = 'kysely_migration';

/**
 * Brings the schema up to date under the migrator's lock; throws what the failing step threw. A schema that a newer release
 * has migrated stays as it is.
 */
export async function migrate<Tables>(database: Kysely<Tables>, migrations: Migrations): Promise<string[]> {
  const provider = {
    // Called under the lock: a newer release that migrates at this moment has done so, or waits.
    getMigrations: async () => ({ ...migrations, ...asDone(await newerMigrations(database, migrations)) }),
  };
  const { error, results } = await new Migrator({ db: database, provider }).migrateToLatest();
  if (error) throw Error.isError(error) ? error : new Error('a migration failed', { cause: error });
  return (results ?? []).map((step) => step.migrationName);
}

/** The migrator takes a step that it does not know for a damaged schema. */
function asDone(steps: readonly string[]): Migrations {
  const never = () => Promise.reject(new Error('a step of a newer release'));
  return Object.fromEntries(steps.map((step) => [step, { up: never }]));
}

/**
 * The steps that a newer release has taken. Throws when the schema has others, older than the newest known one: it is then
 * the schema of something else.
 */
export async function newerMigrations<Tables>(database: Kysely<Tables>, migrations: Migrations): Promise<string[]> {
  const known = Object.keys(migrations).sort();
  const newest = known.at(-1) ?? '';
  const unknown = (await executedMigrations(database)).filter((name) => !known.includes(name));
  const strange = unknown.filter((name) => name < newest);
  if (strange.length > 0) {
    throw new Error(
      `the database has the migrations ${strange.join(', ')}, which this service does not know: is it the service's own?`,
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

/** The steps that the schema still lacks. */
export async function pendingMigrations<Tables>(database: Kysely<Tables>, migrations: Migrations): Promise<string[]> {
  const provider = { getMigrations: () => Promise.resolve({ ...migrations }) };
  const steps = await new Migrator({ db: database, provider }).getMigrations();
  return steps.filter((step) => step.executedAt === undefined).map((step) => step.name);
}
