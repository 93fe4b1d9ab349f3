import { createHash, randomBytes } from 'node:crypto';
import pg from 'pg';
import { pino } from 'pino';
import { migrate, type Migrations } from '@esd/service/database/migrate';
import { openDatabase } from '@esd/service/database/postgres';

/** The migrator needs one connection for its lock and one for its work. */
const MIGRATION_CONNECTIONS = 2;

export interface TestDatabase {
  url: string;
  drop: () => Promise<void>;
}

/** Creates a database for one test file, empty or with the schema of `migrations`, which run once per test run. */
export async function createDatabase(name: string, migrations?: Migrations): Promise<TestDatabase> {
  const database = `test_${name}_${randomBytes(6).toString('hex')}`;
  await withAdmin(async (admin) => {
    const template = migrations === undefined ? 'template0' : await migratedTemplate(admin, migrations);
    await admin.query(`create database ${database} template ${template}`);
  });
  const drop = (): Promise<void> =>
    withAdmin(async (admin) => {
      await admin.query(`drop database ${database} with (force)`);
    });
  return { url: urlOf(database), drop };
}

/** Returns the name of the template database with this schema. The first worker that needs it creates it. */
async function migratedTemplate(admin: pg.Client, migrations: Migrations): Promise<string> {
  // The names of the steps are a sufficient key, because the server lives only for one test run.
  const steps = createHash('sha256').update(Object.keys(migrations).sort().join('\n')).digest('hex').slice(0, 16);
  const template = `template_${steps}`;
  await admin.query('select pg_advisory_lock(hashtext($1))', [template]);
  try {
    const { rowCount } = await admin.query('select 1 from pg_database where datname = $1', [template]);
    if (rowCount !== 0) return template;
    const draft = `${template}_draft`;
    await admin.query(`drop database if exists ${draft}`);
    await admin.query(`create database ${draft}`);
    const database = openDatabase(urlOf(draft), MIGRATION_CONNECTIONS, pino({ level: 'silent' }));
    try {
      await migrate(database, migrations);
    } finally {
      await database.destroy();
    }
    await admin.query(`alter database ${draft} rename to ${template}`);
    return template;
  } finally {
    await admin.query('select pg_advisory_unlock(hashtext($1))', [template]);
  }
}

function adminUrl(): string {
  const url = process.env['ESD_TEST_PG_URL'];
  if (url === undefined)
    throw new Error('ESD_TEST_PG_URL is missing, so there is no PostgreSQL server. Run the tests with `npm test`.');
  return url;
}

function urlOf(database: string): string {
  const url = new URL(adminUrl());
  url.pathname = `/${database}`;
  // On a busy machine, a statement can wait long for a connection of its pool (in seconds) and for a lock (in milliseconds).
  url.searchParams.set('connect_timeout', '300');
  for (const name of ['lock_timeout', 'statement_timeout', 'query_timeout']) url.searchParams.set(name, '300000');
  return url.href;
}

async function withAdmin(work: (admin: pg.Client) => Promise<void>): Promise<void> {
  const admin = new pg.Client({
    connectionString: adminUrl(),
    connectionTimeoutMillis: 60_000,
    query_timeout: 120_000,
  });
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}
