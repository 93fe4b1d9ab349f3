import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Kysely } from 'kysely';
import { openDatabase } from '@esd/service/database/postgres';
import { createDatabase, type TestDatabase } from '@esd/testing/servers';
import { migrations } from '../../migrations/index.ts';
import type { Tables } from '../../src/tables.ts';
import { openUsage } from '../../src/usage/usage.ts';
import { log } from '../dataset-servers.ts';

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

test('counting writes nothing immediately, and the stop writes all counts', async () => {
  const usage = openUsage(database, log);
  for (let at = 0; at < 1_000; at++) {
    if (at % 4 === 0) usage.countDownload('latest', 'csv');
    else usage.countView('v1.0.0');
  }
  expect(await written()).toEqual({ views: 0, downloads: 0 });
  await usage.stop();
  expect(await written()).toEqual({ views: 750, downloads: 250 });
});

test('the totals include all replicas, and each replica reads its own counts immediately', async () => {
  const [one, two] = [openUsage(database, log), openUsage(database, log)];
  one.countView('latest');
  two.countView('latest');
  two.countDownload('latest', 'csv');
  expect(await one.read()).toEqual({ views: 1, downloads: 0 });
  expect(await two.read()).toEqual({ views: 2, downloads: 1 });
  expect(await one.read()).toEqual({ views: 2, downloads: 1 });
  await Promise.all([one.stop(), two.stop()]);
  expect(await written()).toEqual({ views: 2, downloads: 1 });
});

test('writing the counts is retried until it succeeds', async () => {
  const usage = openUsage(database, log);
  usage.countDownload('latest', 'csv');
  await database.schema.alterTable('usage_counter').renameTo('away').execute();
  await expect(usage.read()).rejects.toThrow();
  usage.countDownload('latest', 'csv');
  await database.schema.alterTable('away').renameTo('usage_counter').execute();
  await usage.stop();
  expect(await written()).toEqual({ views: 0, downloads: 2 });
  const [day] = await usage.readDays({ from: '2026-01-01', to: '2999-12-31', version: 'latest' });
  expect(day?.downloads).toEqual({ csv: 2 });
});

test('views and downloads are counted by release, format and day, but a view of an unknown release only in the totals', async () => {
  await database
    .insertInto('usage_day')
    .values([
      { day: '2026-01-31', version: 'v1.0.0', use: 'csv', count: 3 },
      { day: '2026-01-30', version: 'v1.0.0', use: 'view', count: 5 },
      { day: '2026-01-31', version: 'latest', use: 'csv', count: 4 },
    ])
    .execute();
  let now = Date.parse('2026-11-22T23:59:59.999Z');
  const [one, two] = [openUsage(database, log, () => now), openUsage(database, log, () => now)];
  for (const usage of [one, two]) {
    usage.countView('v1.0.0');
    usage.countDownload('v1.0.0', 'parquet');
    usage.countDownload('v1.0.0', 'csv');
    usage.countDownload('v1.0.0', 'csv');
    usage.countView(undefined);
  }
  now += 1;
  one.countDownload('v1.0.0', 'csv');
  await two.stop();
  expect(await one.readDays({ from: '2026-01-30', to: '2999-12-31', version: 'v1.0.0' })).toEqual([
    { date: '2026-01-30', views: 5, downloads: {} },
    { date: '2026-01-31', views: 0, downloads: { csv: 3 } },
    { date: '2026-11-22', views: 2, downloads: { csv: 4, parquet: 2 } },
    { date: '2026-11-23', views: 0, downloads: { csv: 1 } },
  ]);
  expect(await one.readDays({ from: '2026-01-31', to: '2026-01-31', version: undefined })).toEqual([
    { date: '2026-01-31', views: 0, downloads: { csv: 7 } },
  ]);
  expect(await one.readDays({ from: '2026-01-01', to: '2026-01-29', version: undefined })).toEqual([]);
  await one.stop();
  expect(await written()).toEqual({ views: 4, downloads: 7 });
});
