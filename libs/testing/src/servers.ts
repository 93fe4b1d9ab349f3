import { randomBytes } from 'node:crypto';
import pg from 'pg';

export interface TestDatabase {
  url: string;
  drop: () => Promise<void>;
}

/** Makes an empty database for one test file on the PostgreSQL server of the test run. */
export async function createDatabase(name: string): Promise<TestDatabase> {
  const adminUrl = process.env['ESD_TEST_PG_URL'];
  if (adminUrl === undefined) throw new Error('There is no PostgreSQL server for tests: run them by npm test.');
  const database = `test_${name}_${randomBytes(6).toString('hex')}`;
  await run(adminUrl, `create database ${database}`);
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  return { url: url.href, drop: () => run(adminUrl, `drop database ${database} with (force)`) };
}

async function run(adminUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl, connectionTimeoutMillis: 5_000, query_timeout: 30_000 });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
