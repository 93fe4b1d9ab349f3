import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { createDatabases } from '../src/databases.ts';
import { withPostgres } from '../src/postgres.ts';

const adminUrl = process.env['ESD_TEST_PG_URL'] ?? '';
let names: string[];
beforeEach(() => {
  const suffix = randomBytes(6).toString('hex');
  names = [`esd_one_${suffix}`, `esd_two_${suffix}`];
});
afterEach(() =>
  withPostgres(adminUrl, async (client) => {
    for (const name of names) {
      await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await client.query(`DROP ROLE IF EXISTS ${name}`);
    }
  }),
);

const create = (password: string) =>
  createDatabases(
    adminUrl,
    names.map((name) => ({ name, password })),
  );
const visit = (url: string) => withPostgres(url, (client) => client.query('SELECT current_user'));

test('a role owns its database and cannot connect to another one', async () => {
  const urls = await create('first');
  const [one = '', two = ''] = names.map((name) => urls.get(name) ?? '');
  await withPostgres(one, (client) => client.query('CREATE TABLE t (id int); CREATE EXTENSION pg_trgm'));
  expect((await visit(two)).rows).toEqual([{ current_user: names[1] }]);
  const foreign = new URL(one);
  foreign.pathname = `/${names[1]}`;
  await expect(visit(foreign.href)).rejects.toThrow('permission denied for database');
});

test('createDatabases can run again with a new password, and the data remain', async () => {
  const [name = ''] = names;
  const before = (await create('first')).get(name) ?? '';
  await withPostgres(before, (client) => client.query('CREATE TABLE t (id int)'));
  const after = (await create('second')).get(name) ?? '';
  await withPostgres(after, (client) => client.query('SELECT * FROM t'));
  await expect(visit(before)).rejects.toThrow('password authentication failed');
});
