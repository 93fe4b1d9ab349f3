import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ExperimentData } from '@esd/record/catalog/catalog';
import { parseFilter } from '@esd/record/filter/parse-filter';
import type { EntryInList, SubstanceEntry, UnitEntry } from '@esd/record/reference/reference';
import { openDatabase } from '@esd/service/database/postgres';
import { createDatabase } from '@esd/testing/servers';
import type { Kysely } from 'kysely';
import { pino } from 'pino';
import { migrations } from '../../migrations/index.ts';
import { type AppendApproved, logAppender } from '../../src/publish/append-approved.ts';
import { findBodies, getHead } from '../../src/dataset-log/dataset-log.store.ts';
import { openReadIndex, type ReadIndex } from '../../src/read-index/read-index.ts';
import { createEntry, deleteEntry, replaceEntry } from '../../src/reference/change-entry.ts';
import { listChanges } from '../../src/reference/list-changes.ts';
import { findLists, getReferenceHead } from '../../src/reference/entry.store.ts';
import { seedLists } from '../../src/reference/seed-lists.ts';
import type { Tables } from '../../src/tables.ts';
import { retryWhileUnavailable } from '../retry-while-unavailable.ts';

const log = pino({ level: 'silent' });
const by = { accountId: randomUUID(), requestId: 'r-1' };
let database: Kysely<Tables>;
let drop: () => Promise<void>;
let append: AppendApproved;
/** Two replicas on one database. */
let replicas: ReadIndex[];

beforeAll(async () => {
  const created = await createDatabase('changes', migrations);
  drop = created.drop;
  database = openDatabase<Tables>(created.url, 10, log);
  await seedLists(database);
  append = logAppender(database);
  replicas = [1, 2].map(() => openReadIndex({ database, databaseUrl: created.url, log }));
});

afterAll(async () => {
  for (const replica of replicas) await replica.stop();
  await database.destroy();
  await drop();
});

const polymer = (members: Partial<SubstanceEntry> & { name: string }): EntryInList => ({
  list: 'polymers',
  entry: { id: 0, aliases: [], kind: 'polymer', ...members },
});
const unit = (members: Partial<UnitEntry> & { unit: string }): EntryInList => ({
  list: 'units',
  entry: { id: 0, name: members.unit, dimension: 'voltage', factor: 2, aliases: [], ...members },
});

let lastRecord = 0;
/** Publishes a record and returns its id. */
async function publish(data: ExperimentData): Promise<number> {
  const recordId = ++lastRecord;
  const body = JSON.stringify({ recordId, ...data });
  await append([{ recordId, recordRevision: 1, body, data, approvedAt: new Date() }]);
  return recordId;
}
const ofPolymer = (polymerName: string): ExperimentData => ({
  polymerProperty: { polymerComponents: [{ polymerName }] },
});

/** Finds records with every replica, by default at the newest revision. */
async function found(filter: object, revision?: number): Promise<number[]> {
  const parsed = parseFilter(JSON.stringify(filter));
  if ('problem' in parsed) throw new Error(parsed.problem.message);
  const head = await getHead(database);
  const answers: number[][] = [];
  for (const replica of replicas) {
    const at = revision === undefined ? { atLeast: head } : { revision };
    const { rowIds } = await retryWhileUnavailable(() => replica.findAll(parsed.filter, at));
    const bodies = await findBodies(database, [...rowIds]);
    answers.push(bodies.map((body) => (JSON.parse(body) as { recordId: number }).recordId));
  }
  expect(answers[1]).toEqual(answers[0]);
  return answers[0] ?? [];
}

const newestLists = async () => findLists(database, (await getReferenceHead(database)).revision);

test('a new entry gets one dataset revision and the next id, and both replicas have it', async () => {
  const before = await getHead(database);
  const { listed, state, listsRevision } = await createEntry(database, polymer({ name: 'NYLON_99' }), by);
  expect(listed.entry).toMatchObject({ id: 271, name: 'NYLON_99' });
  const { datasetId, recordCount, revision } = before;
  expect(state).toEqual({ datasetId, recordCount, revision: revision + 1, committedAt: expect.any(Date) });
  expect(listsRevision).toBe(state.revision);
  expect(await getHead(database)).toEqual(state);
  expect((await newestLists()).polymers.at(-1)).toMatchObject({ id: 271, name: 'NYLON_99', retired: false });
  expect((await findLists(database, before.revision)).polymers).toHaveLength(270);
});

test('a renamed entry is found by both names, but not in an earlier state', async () => {
  const old = (await createEntry(database, polymer({ name: 'OLDNAME' }), by)).listed.entry;
  const recordId = await publish(ofPolymer('OLDNAME'));
  const { revision } = await getHead(database);
  const renamed = await replaceEntry(
    database,
    polymer({ id: old.id, name: 'NEWNAME', fullName: 'Poly(quixotane)' }),
    by,
  );
  expect(renamed.listed.entry).toMatchObject({ id: old.id, name: 'NEWNAME', aliases: ['OLDNAME'] });
  for (const polymer of ['newname', 'oldname', 'quixo']) expect(await found({ polymer })).toEqual([recordId]);
  expect(await found({ polymer: 'newname' }, revision)).toEqual([]);
  expect(await found({ polymer: 'quixo' }, revision)).toEqual([]);
  expect(await found({ polymer: 'oldname' }, revision)).toEqual([recordId]);
  // A name is never lost, even if the next replacement omits it.
  const again = await replaceEntry(database, polymer({ id: old.id, name: 'THIRD' }), by);
  expect(again.listed.entry).toMatchObject({ aliases: ['OLDNAME', 'NEWNAME'] });
  const back = await replaceEntry(database, polymer({ id: old.id, name: 'OLDNAME' }), by);
  expect(back.listed.entry).toMatchObject({ name: 'OLDNAME', aliases: ['NEWNAME', 'THIRD'] });
  await expect(createEntry(database, polymer({ name: 'third' }), by)).rejects.toMatchObject({
    code: 'VALIDATION_FAILED',
    details: { errors: [{ path: 'name', code: 'NAME_TAKEN' }], errorCount: 1 },
  });
});

test('legacy spellings refer to the new name of a renamed entry', async () => {
  const target = (await createEntry(database, polymer({ name: 'TARGET' }), by)).listed;
  const legacy = (await createEntry(database, polymer({ name: 'LEGACY', sameAs: 'target' }), by)).listed;
  const { state } = await replaceEntry(database, polymer({ id: target.entry.id, name: 'TARGET_2' }), by);
  const { polymers } = await newestLists();
  expect(polymers.find(({ id }) => id === legacy.entry.id)).toMatchObject({ sameAs: 'TARGET_2' });
  expect((await listChanges(database, { skip: 0, limit: 2 })).rows.map(({ revision }) => revision)).toEqual([
    state.revision,
    state.revision,
  ]);
  await expect(deleteEntry(database, 'polymers', target.entry.id, by)).rejects.toMatchObject({
    code: 'CONFLICT',
    message: 'TARGET_2 cannot be deleted because LEGACY refers to it.',
  });
});

test('a renamed unit converts the values of all its names', async () => {
  const created = (await createEntry(database, unit({ unit: 'dv' }), by)).listed.entry;
  const recordId = await publish({ processParameter: { voltage: 3, voltageUnit: 'dv' } });
  expect(await found({ voltageMin: 6, voltageMax: 6 })).toEqual([recordId]);
  await expect(replaceEntry(database, unit({ id: created.id, unit: 'dv', factor: 4 }), by)).rejects.toMatchObject({
    message: 'The entry has 3 problems.',
    details: { errors: [{ path: 'canonical' }, { path: 'factor', code: 'NOT_CHANGEABLE' }, { path: 'offset' }] },
  });
  await replaceEntry(database, unit({ id: created.id, unit: 'dvolt', canonical: 'kV', factor: 2, offset: 0 }), by);
  expect(await found({ voltageMin: 6, voltageMax: 6 })).toEqual([recordId]);
  await expect(deleteEntry(database, 'units', created.id, by)).rejects.toMatchObject({
    code: 'CONFLICT',
    message: expect.stringContaining('dvolt is in use by 1 record of the dataset'),
  });
  const kV = (await newestLists()).units.find(({ unit }) => unit === 'kV');
  await expect(deleteEntry(database, 'units', kV?.id ?? 0, by)).rejects.toMatchObject({ code: 'CONFLICT' });
});

describe('deleting an entry', () => {
  test('that was never published frees its name but not its id', async () => {
    const created = (await createEntry(database, polymer({ name: 'MISTAKE', aliases: ['mistaken'] }), by)).listed;
    const before = await getHead(database);
    const state = await deleteEntry(database, 'polymers', created.entry.id, by);
    expect(state.revision).toBe(before.revision + 1);
    expect(await getHead(database)).toEqual(state);
    expect((await newestLists()).polymers.some(({ id }) => id === created.entry.id)).toBe(false);
    const again = (await createEntry(database, polymer({ name: 'RIGHT', aliases: ['mistake'] }), by)).listed;
    expect(again.entry.id).toBe(created.entry.id + 1);
    await expect(deleteEntry(database, 'polymers', created.entry.id, by)).rejects.toMatchObject({
      code: 'ENTRY_NOT_FOUND',
    });
  });

  test('is rejected if any state of the dataset has a name that the entry ever had', async () => {
    const created = (await createEntry(database, polymer({ name: 'USED' }), by)).listed.entry;
    const recordId = await publish(ofPolymer('USED'));
    await replaceEntry(database, polymer({ id: created.id, name: 'USED_2' }), by);
    // The newest revision of the record has a different name.
    const data = ofPolymer('PCL');
    const body = JSON.stringify({ recordId, ...data });
    await append([{ recordId, recordRevision: 2, body, data, approvedAt: new Date() }]);
    await expect(deleteEntry(database, 'polymers', created.id, by)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/^USED_2 is in use by 1 record .*"retired": true/),
    });
    const retired = await replaceEntry(
      database,
      polymer({ id: created.id, name: 'USED_2', retired: true, sameAs: 'PCL' }),
      by,
    );
    expect(retired.listed.entry).toMatchObject({ retired: true, sameAs: 'PCL' });
    expect(await found({ polymer: 'used_2' }, retired.state.revision)).toEqual([]);
  });
});

describe('the change log', () => {
  test('has every change with its account and the entry before and after', async () => {
    const created = (await createEntry(database, polymer({ name: 'AUDITED' }), by)).listed.entry;
    const other = { accountId: randomUUID(), requestId: 'r-2' };
    await replaceEntry(database, polymer({ id: created.id, name: 'AUDITED', kind: 'drug' }), other);
    const { revision } = await deleteEntry(database, 'polymers', created.id, by);
    const { rows, total } = await listChanges(database, { list: 'polymers', entryId: created.id, skip: 0, limit: 10 });
    expect(total).toBe(3);
    expect(rows).toMatchObject([
      { action: 'delete', account_id: by.accountId, revision, before: { kind: 'drug' }, after: null },
      {
        action: 'replace',
        account_id: other.accountId,
        request_id: 'r-2',
        before: { kind: 'polymer' },
        after: { kind: 'drug' },
      },
      { action: 'create', account_id: by.accountId, before: null, after: { id: created.id, name: 'AUDITED' } },
    ]);
  });

  test('has nothing for an equal entry or for a conflict with another change', async () => {
    const { listed, state } = await createEntry(database, polymer({ name: 'STILL' }), by);
    const { total } = await listChanges(database, { skip: 0, limit: 1 });
    const same = await replaceEntry(database, listed, { ...by, listsSeen: state });
    expect(same).toEqual({ listed, state, listsRevision: state.revision });
    const stale = [
      { datasetId: state.datasetId, revision: state.revision - 1 },
      { datasetId: randomUUID(), revision: state.revision },
    ];
    for (const listsSeen of stale) {
      const refused = { code: 'PRECONDITION_FAILED' };
      await expect(createEntry(database, polymer({ name: 'LATE' }), { ...by, listsSeen })).rejects.toMatchObject(
        refused,
      );
      await expect(replaceEntry(database, listed, { ...by, listsSeen })).rejects.toMatchObject(refused);
      await expect(deleteEntry(database, 'polymers', listed.entry.id, { ...by, listsSeen })).rejects.toMatchObject(
        refused,
      );
    }
    expect(await getHead(database)).toMatchObject(state);
    expect(await listChanges(database, { skip: 0, limit: 1 })).toMatchObject({ total });
  });

  test('has only one of several concurrent changes to the same name', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, (_, i) => createEntry(database, polymer({ name: `RACE_${i}`, aliases: ['race'] }), by)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});
