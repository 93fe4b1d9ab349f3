import { afterAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { pino } from 'pino';
import { openDatabase } from '@esd/service/database/postgres';
import { createDatabase } from '@esd/testing/servers';
import { migrations } from '../../migrations/index.ts';
import { getHead } from '../../src/dataset-log/dataset-log.store.ts';
import { findLists, getReferenceHead } from '../../src/reference/entry.store.ts';
import { seedLists } from '../../src/reference/seed-lists.ts';
import type { Tables } from '../../src/tables.ts';

const created = await createDatabase('reference', migrations);
const drop = created.drop;
const database = openDatabase<Tables>(created.url, 5, pino({ level: 'silent' }));

afterAll(async () => {
  await database.destroy();
  await drop();
});

test('replicas that start at the same time seed the lists once, as one dataset revision', async () => {
  await Promise.all([seedLists(database), seedLists(database), seedLists(database)]);
  expect(await getHead(database)).toMatchObject({ revision: 1, recordCount: 0 });
  const lists = await findLists(database, 1);
  expect(lists.polymers).toHaveLength(270);
  expect(lists.solvents).toHaveLength(135);
  expect(lists.units).toHaveLength(134);
  expect(lists.morphologies).toHaveLength(54);
  expect(lists.instabilities).toHaveLength(35);
  expect(lists.ambiguous).toHaveLength(9);
  expect(lists.polymers[0]).toMatchObject({ id: 1, name: 'PCL', casNumber: '24980-41-4', kind: 'polymer' });
  expect(lists.units.find((unit) => unit.unit === 'K')).toMatchObject({ factor: 1, offset: -273.15, canonical: '°C' });
  expect(lists.units.find((unit) => unit.unit === 'G')).not.toHaveProperty('factor');
});

test('seeding does not restore a renamed or retired entry', async () => {
  await database.insertInto('dataset_revision').values({ revision: 2, record_count: 0 }).execute();
  await database.updateTable('dataset_head').set({ revision: 2, reference_revision: 2 }).execute();
  await sql`update substance set valid_to = 2 where name = 'PCL'`.execute(database);
  await seedLists(database);
  expect(await getReferenceHead(database)).toMatchObject({ revision: 2 });
  expect((await findLists(database, 2)).polymers.some((entry) => entry.name === 'PCL')).toBe(false);
  expect((await findLists(database, 1)).polymers.some((entry) => entry.name === 'PCL')).toBe(true);
});

test('a new seed entry is added after the others', async () => {
  await sql`delete from substance where name = 'PLA'`.execute(database);
  await seedLists(database);
  const { revision } = await getReferenceHead(database);
  expect(revision).toBe(3);
  const { polymers } = await findLists(database, revision, []);
  expect(polymers.at(-1)).toMatchObject({ id: 271, name: 'PLA' });
});
