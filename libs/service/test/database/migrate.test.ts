import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { pino } from 'pino';
import { migrate, type Migrations, newerMigrations, pendingMigrations } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/postgres.ts';

const log = pino({ level: 'silent' });
const step = (statement: string) => ({ up: (database: Kysely<unknown>) => run(database, statement) });
const run = async <Tables>(database: Kysely<Tables>, statement: string) => {
  await sql.raw(statement).execute(database);
};

const older: Migrations = { '0001_a': step('create table a (x int)'), '0002_b': step('create table b (x int)') };
const newer: Migrations = { ...older, '0003_c': step('create table c (x int)') };

const adminUrl = process.env['ESD_TEST_PG_URL'] ?? '';
const admin = async (statement: string) => {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  await client.query(statement);
  await client.end();
};

let name: string;
let database: Kysely<unknown>;
beforeEach(async () => {
  name = `test_migrate_${randomBytes(6).toString('hex')}`;
  await admin(`create database ${name}`);
  database = openDatabase<unknown>(Object.assign(new URL(adminUrl), { pathname: `/${name}` }).href, 4, log);
});
afterEach(async () => {
  await database.destroy();
  await admin(`drop database ${name} with (force)`);
});

test('an older software release accepts a newer schema and leaves it unchanged', async () => {
  expect(await migrate(database, newer)).toEqual(['0001_a', '0002_b', '0003_c']);
  expect(await migrate(database, older)).toEqual([]);
  expect(await pendingMigrations(database, older)).toEqual([]);
  expect(await newerMigrations(database, older)).toEqual(['0003_c']);
  expect(await newerMigrations(database, newer)).toEqual([]);
  await run(database, 'select from a, b, c');
});

test('an older and a newer software release can migrate at the same time', async () => {
  await migrate(database, { '0001_a': older['0001_a'] ?? step('') });
  await Promise.all([migrate(database, newer), migrate(database, older), migrate(database, newer)]);
  await run(database, 'select from a, b, c');
});

test('the schema of another service, or of an earlier commit, is refused and stays unchanged', async () => {
  for (const step of ['0001_other', '0002_reference_lists']) {
    await migrate(database, { [step]: { up: () => Promise.resolve() } });
    await expect(migrate(database, older)).rejects.toThrow(
      new RegExp(
        `^The database has unknown migrations: ${step}\\. .* start with an empty database or data folder, and import the dataset\\.$`,
      ),
    );
    await expect(run(database, 'select from a')).rejects.toThrow('does not exist');
    await run(database, 'drop table kysely_migration');
  }
});

test('a failed migration leaves the schema unchanged', async () => {
  const broken: Migrations = { ...older, '0003_c': step('create table c (x int); select 1 / 0') };
  await migrate(database, older);
  await expect(migrate(database, broken)).rejects.toThrow('division by zero');
  expect(await pendingMigrations(database, newer)).toEqual(['0003_c']);
  expect(await migrate(database, newer)).toEqual(['0003_c']);
});
