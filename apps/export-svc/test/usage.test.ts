import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Kysely } from 'kysely';
import { openDatabase } from '@esd/service/database/postgres';
import { createDatabase, type TestDatabase } from '@esd/testing/servers';
import { migrations } from '../migrations/index.ts';
import type { Tables } from '../src/tables.ts';
import { openUsage } from '../src/usage/usage.ts';
import { log } from './dataset-servers.ts';

let server: TestDatabase;
let database: Kysely<Tables>;
beforeEach(async () => {
  server = await createDatabase('usage', migrations);
  database = openDatabase<Tables>(server.url, 4, log);
});
afterEach(async () => {
  await database.destroy();
  await server.drop();
});

const written = async () =>
  Object.fromEntries(
    (await database.selectFrom('usage_counter').selectAll().execute()).map((row) => [row.name, row.value]),
  );

test('nothing is written while it counts, and nothing is lost at the end', async () => {
  const usage = openUsage(database, log);
  for (let at = 0; at < 1_000; at++) usage.count(at % 4 === 0 ? 'downloads' : 'views');
  expect(await written()).toEqual({ views: 0, downloads: 0 });
  await usage.stop();
  expect(await written()).toEqual({ views: 750, downloads: 250 });
});

test('several copies add up, and each reads what it has counted at once', async () => {
  const [one, two] = [openUsage(database, log), openUsage(database, log)];
  one.count('views');
  two.count('views');
  two.count('downloads');
  expect(await one.read()).toEqual({ views: 1, downloads: 0 });
  expect(await two.read()).toEqual({ views: 2, downloads: 1 });
  expect(await one.read()).toEqual({ views: 2, downloads: 1 });
  await Promise.all([one.stop(), two.stop()]);
  expect(await written()).toEqual({ views: 2, downloads: 1 });
});

test('what cannot be written is kept until it can', async () => {
  const usage = openUsage(database, log);
  usage.count('downloads');
  await database.schema.alterTable('usage_counter').renameTo('away').execute();
  await expect(usage.read()).rejects.toThrow();
  usage.count('downloads');
  await database.schema.alterTable('away').renameTo('usage_counter').execute();
  await usage.stop();
  expect(await written()).toEqual({ views: 0, downloads: 2 });
});
