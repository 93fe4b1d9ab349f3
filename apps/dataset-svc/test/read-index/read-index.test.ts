import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Kysely, sql } from 'kysely';
import { pino } from 'pino';
import type { ExperimentData } from '@esd/record/catalog/catalog';
import { matchFilter } from '@esd/record/filter/match-filter';
import { parseFilter } from '@esd/record/filter/parse-filter';
import { RULES } from '@esd/record/rules';
import { indexReferences, resolveName } from '@esd/record/reference/reference';
import { openDatabase } from '@esd/service/database/postgres';
import { eventually } from '@esd/testing/eventually';
import { createDatabase } from '@esd/testing/servers';
import { runs } from '@esd/testing/property-runs';
import { migrations } from '../../migrations/index.ts';
import { type AppendApproved, logAppender } from '../../src/publish/append-approved.ts';
import { findBodies, getHead } from '../../src/dataset-log/dataset-log.store.ts';
import { refreshIndexRows } from '../../src/read-index/refresh-index-rows.ts';
import { openReadIndex, type ReadIndex } from '../../src/read-index/read-index.ts';
import { createEntry, deleteEntry, replaceEntry } from '../../src/reference/change-entry.ts';
import { referencesAt } from '../../src/reference/references-at.ts';
import { seedLists } from '../../src/reference/seed-lists.ts';
import type { Tables } from '../../src/tables.ts';
import { retryWhileUnavailable } from '../retry-while-unavailable.ts';

const log = pino({ level: 'silent' });
let database: Kysely<Tables>;
let url: string;
let drop: () => Promise<void>;
let append: AppendApproved;
const open: ReadIndex[] = [];

beforeAll(async () => {
  ({ url, drop } = await createDatabase('index', migrations));
  database = openDatabase<Tables>(url, 10, log);
  await seedLists(database);
});

/** Replaces the dataset with an empty one. */
async function reset(): Promise<void> {
  await sql`truncate record_revision, record_hash, index_row, index_term, reference_change`.execute(database);
  for (const table of ['substance', 'unit', 'morphology', 'instability']) {
    await sql`delete from ${sql.table(table)} where valid_from > 1`.execute(database);
    await sql`update ${sql.table(table)} set valid_to = null where valid_to > 1`.execute(database);
  }
  await sql`delete from dataset_revision where revision > 1`.execute(database);
  await sql`
    update dataset_head
    set revision = 1, record_count = 0, reference_revision = 1, dataset_id = gen_random_uuid()`.execute(database);
  append = logAppender(database);
}

beforeEach(reset);

afterEach(async () => {
  for (const index of open.splice(0)) await index.stop();
});

afterAll(async () => {
  await database.destroy();
  await drop();
});

function openIndex(): ReadIndex {
  const index = openReadIndex({ database, databaseUrl: url, log });
  open.push(index);
  return index;
}

const seen = async (revision: number) => ({ datasetId: (await getHead(database)).datasetId, revision });

/** Waits until the index reaches a revision. */
async function reached(index: ReadIndex, revision: number) {
  const state = await seen(revision);
  return retryWhileUnavailable(() => index.state(state));
}

const filterOf = (value: object) => {
  const parsed = parseFilter(JSON.stringify(value));
  if ('problem' in parsed) throw new Error(parsed.problem.message);
  return parsed.filter;
};

const approved = (recordId: number, recordRevision: number, data: ExperimentData) => ({
  recordId,
  recordRevision,
  body: JSON.stringify({ recordId, recordRevision, ...data }),
  data,
  approvedAt: new Date(),
});

const recordIds = async (rowIds: Iterable<number>): Promise<number[]> => {
  const bodies = await findBodies(database, [...rowIds]);
  return bodies.map((body) => (JSON.parse(body) as { recordId: number }).recordId);
};

const spun = (polymerName: string, voltage: number): ExperimentData => ({
  polymerProperty: { polymerComponents: [{ polymerName }] },
  processParameter: { voltage, voltageUnit: 'kV' },
});

test('concurrent readers get every page of an earlier state', async () => {
  const index = openIndex();
  const ids = Array.from({ length: 40 }, (_, at) => at + 1);
  const before = (await append(ids.map((id) => approved(id, 1, spun('PCL', id))))) ?? 0;
  await append([approved(7, 2, spun('PVA', 7)), approved(41, 1, spun('PVA', 1))]);
  const after = (await append([approved(9, 2, spun('PVA', 9))])) ?? 0;
  await reached(index, after);
  const pages = await Promise.all(
    [0, 10, 20, 30].map((skip) => index.find({ filter: [], skip, limit: 10, revision: before })),
  );
  for (const page of pages) expect(page).toMatchObject({ total: 40, state: { revision: before, recordCount: 40 } });
  expect(await recordIds(pages.flatMap(({ rowIds }) => rowIds))).toEqual(ids);
  const bodies = await findBodies(
    database,
    pages.flatMap(({ rowIds }) => rowIds),
  );
  expect(bodies.filter((body) => body.includes('PVA'))).toEqual([]);
  const all = await index.findAll([], { revision: before });
  expect([...all.rowIds]).toEqual(pages.flatMap(({ rowIds }) => rowIds));
  expect((await index.find({ filter: [], skip: 0, limit: 1 })).total).toBe(41);
});

test('a replica that is behind waits briefly, then throws UNAVAILABLE', async () => {
  const index = openIndex();
  await reached(index, 1);
  await expect(index.find({ filter: [], skip: 0, limit: 1, atLeast: await seen(99) })).rejects.toMatchObject({
    code: 'UNAVAILABLE',
  });
  const revision = await append([approved(1, 1, spun('PCL', 10))]);
  await reached(index, revision ?? 0);
  await expect(
    index.find({ filter: [], skip: 0, limit: 1, atLeast: await seen(revision ?? 0) }),
  ).resolves.toMatchObject({ total: 1 });
});

/** Changes rows of the index as if older rules had derived them. */
const madeByOlderRules = (rowIds: string) =>
  sql`
    update index_row
    set rules = ${RULES - 1}, voltage = 1, field_strength = null, not_convertible = 1, published_at = 'epoch',
      repeat_key = null, has_title = true, solvent_boiling_point = null, solvent = null
    where row_id in (${sql.raw(rowIds)})`.execute(database);

describe('rows of older rules', () => {
  const field = (voltage: number, distance: number): ExperimentData => ({
    researchMetadata: { doi: '10.1000/a' },
    solventProperty: { solventComponents: [{ solventName: 'DMF', volumeRatio: 1 }] },
    processParameter: { voltage, voltageUnit: 'kV', tipCollectorDistance: distance, tipCollectorDistanceUnit: 'cm' },
  });
  const strong = { filter: filterOf({ fieldStrengthMin: 2 }), skip: 0, limit: 10 };

  test('are derived again before several replicas fill their indexes', async () => {
    const revision = (await append([1, 2, 3, 4].map((id) => approved(id, 1, field(10 * id, 10))))) ?? 0;
    const rows = () => database.selectFrom('index_row').selectAll().orderBy('record_id').execute();
    const derived = await rows();
    await madeByOlderRules('select row_id from index_row where record_id <> 4');
    const replicas = [openIndex(), openIndex(), openIndex()];
    for (const index of replicas) {
      await reached(index, revision);
      expect(await recordIds((await index.find(strong)).rowIds)).toEqual([2, 3, 4]);
    }
    expect(await rows()).toEqual(derived);
  });

  test('are derived again when a replica with older rules appends them', async () => {
    await append([approved(1, 1, field(5, 10))]);
    const index = openIndex();
    await reached(index, 2);
    await sql`
      create function older() returns trigger language plpgsql as $$ begin
        update index_row set rules = ${sql.lit(RULES - 1)}, field_strength = null
        where row_id = new.row_id;
        return null;
      end $$`.execute(database);
    await sql`create trigger older after insert on index_row for each row execute function older()`.execute(database);
    const revision = (await append([approved(2, 1, field(30, 10)), approved(1, 2, field(20, 10))])) ?? 0;
    await reached(index, revision);
    expect(await recordIds((await index.find(strong)).rowIds)).toEqual([1, 2]);
    expect((await index.find({ ...strong, revision: revision - 1 })).total).toBe(0);
    await sql`drop function older cascade`.execute(database);
  });

  test('give ids to their terms after a running append, so that a replica misses no term of it', async () => {
    await append([approved(1, 1, field(5, 10))]);
    await madeByOlderRules('select row_id from index_row');
    await sql`delete from index_term where field = 'solvent'`.execute(database);
    // Holds the next append after it has inserted its terms.
    await sql`
      create function wait_for_test() returns trigger language plpgsql as $$ begin
        perform pg_advisory_xact_lock(1);
        return new;
      end $$`.execute(database);
    await sql`
      create trigger wait_for_test before insert on index_row for each row when (new.record_id = 2)
      execute function wait_for_test()`.execute(database);
    const waiting = sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    const { appending, index } = await database.transaction().execute(async (transaction) => {
      await sql`select pg_advisory_xact_lock(1)`.execute(transaction);
      const appending = append([approved(2, 1, spun('PVA', 5))]);
      await eventually(async () => (await waiting.execute(database)).rows[0]?.count === 1);
      const index = openIndex();
      const isFilled = () =>
        index.dependency.check(AbortSignal.timeout(60_000)).then(
          () => true,
          () => false,
        );
      await eventually(async () => (await waiting.execute(database)).rows[0]?.count === 2 || (await isFilled()));
      return { appending, index };
    });
    await reached(index, (await appending) ?? 0);
    const { rowIds } = await index.find({ filter: filterOf({ polymer: 'PVA' }), skip: 0, limit: 10 });
    expect(await recordIds(rowIds)).toEqual([2]);
    await sql`drop function wait_for_test cascade`.execute(database);
  });
});

test('an index whose number of records differs from the log throws UNAVAILABLE', async () => {
  const index = openIndex();
  const revision = (await append([approved(1, 1, spun('PCL', 10))])) ?? 0;
  await reached(index, revision);
  await sql`create table spare as table index_row`.execute(database);
  await sql`delete from index_row`.execute(database);
  const other = openIndex();
  await expect(other.find({ filter: [], skip: 0, limit: 1 })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await expect(other.dependency.check(AbortSignal.timeout(60_000))).rejects.toThrow('the read index is being filled');
  await sql`insert into index_row table spare`.execute(database);
  await sql`drop table spare`.execute(database);
  await reached(other, revision);
  expect((await other.find({ filter: [], skip: 0, limit: 1 })).total).toBe(1);
});

/** Changes the lists. Returns the dataset revision, or undefined if the change is rejected. */
async function changeLists(kind: string, polymer: string, number: number): Promise<number | undefined> {
  const by = { accountId: randomUUID(), requestId: 'r' };
  const { lists } = await referencesAt(database, (await getHead(database)).revision);
  const found = resolveName(indexReferences(lists), 'polymers', polymer);
  const entry = found.kind === 'found' ? found.entry : undefined;
  const put = (members: object) =>
    entry && replaceEntry(database, { list: 'polymers', entry: { ...entry, ...members } }, by);
  const volt = lists.units.find(({ factor, dimension }) => factor === 0.001 && dimension === 'voltage');
  const changed = async () => {
    switch (kind) {
      case 'create':
        return createEntry(
          database,
          {
            list: 'polymers',
            entry: { id: 0, name: polymer, fullName: `Quixotane ${number}`, aliases: [], kind: 'unknown' },
          },
          by,
        );
      case 'rename':
        return put({ name: `RENAMED_${number}` });
      case 'spell':
        return put({ fullName: `Poly(quixotane) ${number}`, aliases: [`styrene ${number}`] });
      case 'retire':
        return put({ retired: true });
      case 'unit':
        return volt && replaceEntry(database, { list: 'units', entry: { ...volt, unit: `V_${number}` } }, by);
      default:
        return undefined;
    }
  };
  try {
    if (kind !== 'delete') return (await changed())?.state.revision;
    return entry && (await deleteEntry(database, 'polymers', entry.id, by)).revision;
  } catch (error) {
    const code = kind === 'delete' ? 'CONFLICT' : kind === 'create' ? 'VALIDATION_FAILED' : undefined;
    expect(error).toMatchObject({ code });
    return undefined;
  }
}

test('a new unit does not change the features of records that are already published', async () => {
  const revision = await append([
    approved(1, 1, { processParameter: { voltage: 3, voltageUnit: 'dv' } }),
    approved(2, 1, { processParameter: { voltage: 3000, voltageUnit: 'V' } }),
  ]);
  const by = { accountId: randomUUID(), requestId: 'r' };
  const dv = { id: 0, unit: 'dv', name: 'double volt', dimension: 'voltage', factor: 1, aliases: [] };
  await createEntry(database, { list: 'units', entry: dv }, by);
  const last = await append([approved(3, 1, { processParameter: { voltage: 3, voltageUnit: 'dv' } })]);
  expect([revision, last]).toEqual([2, 4]);
  const found: number[][] = [];
  for (const rebuild of [false, true]) {
    if (rebuild) {
      await madeByOlderRules('select row_id from index_row');
      expect(await refreshIndexRows(database)).toBe(3);
    }
    const index = openIndex();
    await reached(index, 4);
    found.push(await recordIds((await index.findAll(filterOf({ voltageMin: 3, voltageMax: 3 }))).rowIds));
  }
  expect(found).toEqual([
    [2, 3],
    [2, 3],
  ]);
});

describe('any history', () => {
  const data = fc.record(
    {
      polymer: fc.constantFrom('PCL', 'PVA', 'PS', 'Y_PGA'),
      voltage: fc.constantFrom(8, 12, 20),
      volts: fc.boolean(),
      collector: fc.constantFrom('Flat', 'Rolling Drum', 'Disk'),
      stable: fc.boolean(),
    },
    { requiredKeys: [] },
  );
  const recordOf = (drawn: {
    polymer?: string;
    voltage?: number;
    volts?: boolean;
    collector?: string;
    stable?: boolean;
  }): ExperimentData => ({
    polymerProperty: { polymerComponents: [{ polymerName: drawn.polymer ?? 'PAN' }] },
    ...(drawn.voltage === undefined
      ? {}
      : {
          processParameter: drawn.volts
            ? { voltage: drawn.voltage * 1000, voltageUnit: 'V' }
            : { voltage: drawn.voltage, voltageUnit: 'kV' },
        }),
    ...(drawn.collector === undefined ? {} : { collectorProperty: { collectorType: drawn.collector } }),
    ...(drawn.stable === undefined ? {} : { fiberProperty: { isFormationStable: drawn.stable } }),
  });
  const event = fc.record({
    recordId: fc.integer({ min: 1, max: 8 }),
    recordRevision: fc.integer({ min: 1, max: 4 }),
    drawn: data,
  });
  const change = fc.record({
    kind: fc.constantFrom('create', 'rename', 'spell', 'retire', 'delete', 'unit'),
    polymer: fc.constantFrom('PCL', 'PVA', 'PS', 'Y_PGA', 'PAN', 'ZEIN'),
  });
  const step = fc.oneof(fc.array(event, { minLength: 1, maxLength: 5 }), change);
  const history = fc.array(step, { minLength: 1, maxLength: 8 });
  const filters = [
    {},
    { polymer: 'PCL' },
    { polymer: 'styrene' },
    { polymer: 'renamed' },
    { polymer: 'quixotane' },
    { voltageMin: 10, voltageMax: 12 },
    { collectorType: 'rotating' },
    { isFormationStable: 'yes', polymer: 'p' },
    { status: 'REJECTED' },
  ];

  test('a live index, a rebuilt index and a check of every record agree at every state', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        await reset();
        const live = openIndex();
        const records = new Map<number, { revision: number; data: ExperimentData }>();
        const expected = new Map<number, number[][]>();
        let last = 1;
        for (const [number, step] of steps.entries()) {
          const batch = Array.isArray(step) ? step : [];
          const reachedRevision = Array.isArray(step)
            ? await append(step.map((one) => approved(one.recordId, one.recordRevision, recordOf(one.drawn))))
            : await changeLists(step.kind, step.polymer, number);
          for (const { recordId, recordRevision, drawn } of batch) {
            if (recordRevision > (records.get(recordId)?.revision ?? 0)) {
              records.set(recordId, { revision: recordRevision, data: recordOf(drawn) });
            }
          }
          if (reachedRevision === undefined) continue;
          last = reachedRevision;
          const references = await referencesAt(database, last);
          const sorted = [...records].sort(([a], [b]) => a - b);
          const matching = filters.map((filter) =>
            sorted.filter(([, { data }]) => matchFilter(filterOf(filter), data, references)).map(([id]) => id),
          );
          expected.set(last, matching);
          await reached(live, last);
          for (const [i, filter] of filters.entries()) {
            const found = await live.find({ filter: filterOf(filter), skip: 0, limit: 10, atLeast: await seen(last) });
            expect(await recordIds(found.rowIds)).toEqual(matching[i]);
            expect(found.total).toBe(matching[i]?.length);
          }
        }
        await madeByOlderRules('select row_id from index_row');
        await refreshIndexRows(database);
        const rebuilt = openIndex();
        await reached(rebuilt, last);
        for (const [revision, matching] of expected) {
          for (const index of [live, rebuilt]) {
            for (const [i, filter] of filters.entries()) {
              const { rowIds } = await index.findAll(filterOf(filter), { revision });
              expect(await recordIds(rowIds)).toEqual(matching[i]);
            }
          }
        }
        for (const index of open.splice(0)) await index.stop();
      }),
      { numRuns: runs(15) },
    );
  });
});
