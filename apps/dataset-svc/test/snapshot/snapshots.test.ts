import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Kysely } from 'kysely';
import { pino } from 'pino';
import type { ExperimentData } from '@esd/record/catalog/catalog';
import { parseFilter } from '@esd/record/filter/parse-filter';
import { parsePublicRecord } from '@esd/record/catalog/public-record';
import { openDatabase } from '@esd/service/database/postgres';
import { createDatabase } from '@esd/testing/servers';
import { runs } from '@esd/testing/property-runs';
import { migrations } from '../../migrations/index.ts';
import { eraseAccount } from '../../src/account/erase-account.ts';
import { logAppender } from '../../src/publish/append-approved.ts';
import { findBodies, getHead } from '../../src/dataset-log/dataset-log.store.ts';
import { openReadIndex, type ReadIndex } from '../../src/read-index/read-index.ts';
import { seedLists } from '../../src/reference/seed-lists.ts';
import { createSnapshot } from '../../src/snapshot/create-snapshot.ts';
import { openSnapshotRows, type SnapshotRows } from '../../src/snapshot/snapshot-rows.ts';
import { deleteSnapshot, findSnapshots, getSnapshot, MAX_SNAPSHOTS } from '../../src/snapshot/snapshot.store.ts';
import type { Tables } from '../../src/tables.ts';
import { retryWhileUnavailable } from '../retry-while-unavailable.ts';

const log = pino({ level: 'silent' });
let database: Kysely<Tables>;
let index: ReadIndex;
let rows: SnapshotRows;
let drop: () => Promise<void>;

beforeAll(async () => {
  let url;
  ({ url, drop } = await createDatabase('snapshots', migrations));
  database = openDatabase<Tables>(url, 10, log);
  await seedLists(database);
  for (const recordId of [1, 2, 3]) await publish(recordId, 1, 10 * recordId);
  index = openReadIndex({ database, databaseUrl: url, log });
  rows = openSnapshotRows(database);
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

const make = async (owner: string, filterJson: string, name = 'mine') => {
  const parsed = parseFilter(filterJson);
  if ('problem' in parsed) throw new Error(parsed.problem.message);
  const wanted = { owner, name, filterJson, filter: parsed.filter };
  return retryWhileUnavailable(async () =>
    createSnapshot(database, index, { ...wanted, atLeast: await getHead(database) }),
  );
};

/** Reads the ids and voltages of a snapshot's records, without a cache. */
async function recordsOf(id: number): Promise<string[]> {
  const { rowIds } = await openSnapshotRows(database).find(id);
  return (await findBodies(database, [...rowIds])).map((body) => {
    const { recordId, data } = parsePublicRecord(body);
    return `${recordId}: ${data.processParameter?.voltage ?? 0} kV`;
  });
}

test('a snapshot keeps its records after later publications', async () => {
  const owner = randomUUID();
  const made = await make(owner, '{"voltageMin":15}');
  expect(made).toMatchObject({ record_count: 2, filter: '{"voltageMin":15}' });
  const stored = ['2: 20 kV', '3: 30 kV'];
  expect(await recordsOf(made.id)).toEqual(stored);
  await publish(1, 2, 40);
  await publish(2, 2, 1);
  await publish(4, 1, 50);
  const later = await make(owner, '{"voltageMin":15}');
  expect(later.record_count).toBe(3);
  expect(await recordsOf(later.id)).toEqual(['1: 40 kV', '3: 30 kV', '4: 50 kV']);
  expect(await recordsOf(made.id)).toEqual(stored);
  expect((await rows.find(made.id)).state).toMatchObject({ revision: made.revision, recordCount: 3 });
  expect((await findSnapshots(database, owner)).map(({ id }) => id)).toEqual([later.id, made.id]);
});

test('a snapshot returns its stored records, not those that match its filter', async () => {
  const { id } = await make(randomUUID(), '{"voltageMin":15}');
  const stored = await recordsOf(id);
  await database.updateTable('snapshot').set({ filter: '{"polymer":"PVA"}' }).where('id', '=', id).execute();
  expect(await recordsOf(id)).toEqual(stored);
});

test('a snapshot keeps its records after any publications', async () => {
  const owner = randomUUID();
  const types = ['Rolling Drum', 'Rotating Drum', 'drum', 'Rotating Disc', 'disk', 'Flat'];
  const collectorTypes = ['Rotating Drum', 'drum', 'disc', 'rotating', 'flat plate'];
  const someRecords = fc.array(fc.tuple(fc.integer({ min: 100, max: 120 }), fc.constantFrom(...types)), {
    minLength: 1,
    maxLength: 5,
  });
  let edition = 0;
  const publishAll = async (records: readonly (readonly [number, string])[]): Promise<void> => {
    for (const [recordId, collectorType] of records) {
      edition += 1;
      const data: ExperimentData = { collectorProperty: { collectorType } };
      const body = JSON.stringify({ recordId, experimentId: recordId, ...data });
      await logAppender(database)([{ recordId, recordRevision: edition, body, data, approvedAt: new Date() }]);
    }
  };
  await fc.assert(
    fc.asyncProperty(
      someRecords,
      fc.constantFrom(...collectorTypes),
      someRecords,
      async (before, collectorType, after) => {
        await publishAll(before);
        const json = JSON.stringify({ collectorType });
        const made = await make(owner, json);
        const { rowIds } = await rows.find(made.id);
        expect(rowIds.length).toBe(made.record_count);
        await publishAll(after);
        expect((await openSnapshotRows(database).find(made.id)).rowIds).toEqual(rowIds);
        await deleteSnapshot(database, owner, made.id);
      },
    ),
    { numRuns: runs(25) },
  );
});

test('a deleted snapshot has no records', async () => {
  const owner = randomUUID();
  const { id } = await make(owner, '{}');
  await rows.find(id);
  await deleteSnapshot(database, owner, id);
  await expect(rows.find(id)).rejects.toMatchObject({ code: 'SNAPSHOT_NOT_FOUND' });
  const { stored } = await database
    .selectFrom('snapshot_rows')
    .select((on) => on.fn.countAll<number>().as('stored'))
    .where('snapshot_id', '=', id)
    .executeTakeFirstOrThrow();
  expect(stored).toBe(0);
});

test('only the owner of a snapshot can find and delete it', async () => {
  const owner = randomUUID();
  const { id } = await make(owner, '{}');
  const otherAccount = randomUUID();
  await expect(getSnapshot(database, otherAccount, id)).rejects.toMatchObject({ code: 'SNAPSHOT_NOT_FOUND' });
  await expect(deleteSnapshot(database, otherAccount, id)).rejects.toMatchObject({ code: 'SNAPSHOT_NOT_FOUND' });
  expect(await findSnapshots(database, otherAccount)).toEqual([]);
  await deleteSnapshot(database, owner, id);
  await expect(deleteSnapshot(database, owner, id)).rejects.toMatchObject({ code: 'SNAPSHOT_NOT_FOUND' });
});

test('an invalid name is refused', async () => {
  const owner = randomUUID();
  for (const name of ['', '  ', 'x'.repeat(201), 'a\u0007']) {
    await expect(make(owner, '{}', name)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  }
  expect(await findSnapshots(database, owner)).toEqual([]);
});

test('a deleted account loses its snapshots and cannot create new ones', async () => {
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

test('an account cannot exceed the maximum number of snapshots', async () => {
  const owner = randomUUID();
  const { revision } = await getHead(database);
  const one = { owner_account_id: owner, name: 'n', filter: '{}', revision, record_count: 0, description: null };
  await database
    .insertInto('snapshot')
    .values(Array.from({ length: MAX_SNAPSHOTS - 1 }, () => one))
    .execute();
  await make(owner, '{}');
  await expect(make(owner, '{}')).rejects.toMatchObject({ code: 'CONFLICT' });
});
