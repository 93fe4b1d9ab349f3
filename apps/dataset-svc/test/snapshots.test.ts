import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Kysely } from 'kysely';
import { pino } from 'pino';
import type { ExperimentData } from '@esd/record/catalogue';
import { migrate } from '@esd/service/migrate';
import { openDatabase } from '@esd/service/postgres';
import { createDatabase } from '@esd/testing/servers';
import { migrations } from '../migrations/index.ts';
import { eraseAccount } from '../src/account/erase-account.ts';
import { logAppender } from '../src/dataset-log/append-approved.ts';
import { getHead } from '../src/dataset-log/dataset-log.store.ts';
import { openReadIndex, type ReadIndex } from '../src/read-index/read-index.ts';
import { seedLists } from '../src/reference/seed-lists.ts';
import { createSnapshot } from '../src/snapshot/create-snapshot.ts';
import { deleteSnapshot, findSnapshots, getSnapshot, MOST_SNAPSHOTS } from '../src/snapshot/snapshot.store.ts';
import type { Tables } from '../src/tables.ts';

const log = pino({ level: 'silent' });
let database: Kysely<Tables>;
let index: ReadIndex;
let drop: () => Promise<void>;

beforeAll(async () => {
  let url;
  ({ url, drop } = await createDatabase('snapshots'));
  database = openDatabase<Tables>(url, 10, log);
  await migrate(database, migrations);
  await seedLists(database);
  for (const recordId of [1, 2, 3]) await publish(recordId, 1, 10 * recordId);
  index = openReadIndex({ database, databaseUrl: url, memoryLimit: '200MB', threads: 2, log });
  while (!(await index.state().catch(() => undefined))) await new Promise((resolve) => setTimeout(resolve, 50));
});

afterAll(async () => {
  await index.stop();
  await database.destroy();
  await drop();
});

async function publish(recordId: number, recordRevision: number, voltage: number): Promise<void> {
  const data: ExperimentData = { processParameter: { voltage, voltageUnit: 'kV' } };
  const body = JSON.stringify({ recordId, experimentId: recordId, ...data });
  await logAppender(database)([{ recordId, recordRevision, body, data, approvedAt: new Date() }]);
}

const make = async (owner: string, filterJson: string, name = 'mine') =>
  createSnapshot(database, index, { owner, name, filterJson, atLeast: await getHead(database) });

test('a snapshot keeps its records, whatever is published later', async () => {
  const owner = randomUUID();
  const made = await make(owner, '{"voltageMin":15}');
  expect(made).toMatchObject({ record_count: 2, filter: '{"voltageMin":15}' });
  await publish(1, 2, 40);
  await publish(2, 2, 1);
  await publish(4, 1, 50);
  const later = await make(owner, '{"voltageMin":15}');
  expect(later.record_count).toBe(3);
  const filter = [{ kind: 'range', key: 'voltage', min: 15 }] as const;
  const { total } = await index.find({ filter: [...filter], skip: 0, limit: 10, revision: made.revision });
  expect(total).toBe(made.record_count);
  expect((await findSnapshots(database, owner)).map(({ id }) => id)).toEqual([later.id, made.id]);
});

test('only its owner finds it, and deletes it once', async () => {
  const owner = randomUUID();
  const { id } = await make(owner, '{}');
  const stranger = randomUUID();
  await expect(getSnapshot(database, stranger, id)).rejects.toMatchObject({ code: 'SNAPSHOT_NOT_FOUND' });
  await expect(deleteSnapshot(database, stranger, id)).rejects.toMatchObject({ code: 'SNAPSHOT_NOT_FOUND' });
  expect(await findSnapshots(database, stranger)).toEqual([]);
  await deleteSnapshot(database, owner, id);
  await expect(deleteSnapshot(database, owner, id)).rejects.toMatchObject({ code: 'SNAPSHOT_NOT_FOUND' });
});

test('a filter that is none, and a name that is none, are refused', async () => {
  const owner = randomUUID();
  await expect(make(owner, '{"voltagMin":15}')).rejects.toMatchObject({ code: 'INVALID_FILTER' });
  for (const name of ['', '  ', 'x'.repeat(201), 'a\u0007']) {
    await expect(make(owner, '{}', name)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  }
  expect(await findSnapshots(database, owner)).toEqual([]);
});

test('an account that is deleted loses its snapshots and gets no more', async () => {
  const [gone, other] = [randomUUID(), randomUUID()];
  await make(gone, '{}');
  await make(other, '{}');
  const deleted = { accountId: gone, deletedAt: new Date() };
  await eraseAccount(database, deleted);
  await eraseAccount(database, deleted);
  expect(await findSnapshots(database, gone)).toEqual([]);
  expect(await findSnapshots(database, other)).toHaveLength(1);
  await expect(make(gone, '{}')).rejects.toMatchObject({ code: 'TOKEN_INVALID' });
});

test('an account has room for so many', async () => {
  const owner = randomUUID();
  const { revision } = await getHead(database);
  const one = { owner_account_id: owner, name: 'n', filter: '{}', revision, record_count: 0, description: null };
  await database
    .insertInto('snapshot')
    .values(Array.from({ length: MOST_SNAPSHOTS - 1 }, () => one))
    .execute();
  await make(owner, '{}');
  await expect(make(owner, '{}')).rejects.toMatchObject({ code: 'CONFLICT' });
});
