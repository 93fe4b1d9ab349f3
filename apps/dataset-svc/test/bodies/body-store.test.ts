import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { counter } from '@esd/service/health/metrics';
import { openDatabase } from '@esd/service/database/postgres';
import { createDatabase } from '@esd/testing/servers';
import { type Kysely, sql } from 'kysely';
import { pino } from 'pino';
import { z } from 'zod';
import { migrations } from '../../migrations/index.ts';
import { type BodyStore, type BodyStoreOptions, openBodyStore } from '../../src/bodies/body-store.ts';
import { findBodies, getHead } from '../../src/dataset-log/dataset-log.store.ts';
import { type AppendApproved, logAppender } from '../../src/publish/append-approved.ts';
import { seedLists } from '../../src/reference/seed-lists.ts';
import type { Tables } from '../../src/tables.ts';

/** A log line. */
const line = z.looseObject({ msg: z.string() });
type Line = z.output<typeof line>;

let database: Kysely<Tables>;
let drop: () => Promise<void>;
let append: AppendApproved;
const open: BodyStore[] = [];

beforeAll(async () => {
  let url: string;
  ({ url, drop } = await createDatabase('bodies', migrations));
  database = openDatabase<Tables>(url, 10, pino({ level: 'silent' }));
  await seedLists(database);
});

beforeEach(anotherDataset);

afterEach(async () => {
  for (const store of open.splice(0)) await store.stop();
});

afterAll(async () => {
  await database.destroy();
  await drop();
});

/** Replaces the dataset with an empty one, whose row ids start again at 1. */
async function anotherDataset(): Promise<void> {
  await sql`truncate record_revision, record_hash, index_row, index_term restart identity`.execute(database);
  await sql`delete from dataset_revision where revision > 1`.execute(database);
  await sql`
    update dataset_head
    set revision = 1, record_count = 0, reference_revision = 1, dataset_id = gen_random_uuid()`.execute(database);
  append = logAppender(database);
}

/** Publishes records with bodies of about `size` bytes, as one dataset revision. */
async function publish(from: number, to: number, what: string, size = 1_000): Promise<void> {
  const ids = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  await append(
    ids.map((recordId) => ({
      recordId,
      recordRevision: 1,
      body: JSON.stringify({ recordId, what, µm: 'ε-caprolactone 纺'.padEnd(size + (recordId % 7), 'x') }),
      data: {},
      approvedAt: new Date(),
    })),
  );
}

/** Opens a store with a counter of its statements and a function that waits for the next log line with a message. */
function openStore(
  memoryMegabytes = 10,
  index: BodyStoreOptions['index'] = { check: () => Promise.resolve() },
): {
  store: BodyStore;
  statements: () => number;
  next: (msg: string) => Promise<Line>;
} {
  const lines: Line[] = [];
  let resume = (): void => undefined;
  const write = (text: string): void => {
    lines.push(line.parse(JSON.parse(text)));
    resume();
  };
  let statements = 0;
  const counting = database.withPlugin({
    transformQuery: ({ node }) => {
      statements += 1;
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  });
  const log = pino({ level: 'debug' }, { write });
  const store = openBodyStore({ database: counting, index, memoryMegabytes, log });
  open.push(store);
  const next = async (msg: string): Promise<Line> => {
    for (;;) {
      const index = lines.findIndex((one) => one.msg === msg);
      const [found] = index < 0 ? [] : lines.splice(index, 1);
      if (found) return found;
      await new Promise<void>((resolve) => (resume = resolve));
    }
  };
  return { store, statements: () => statements, next };
}

const CACHED = 'record bodies cached';
const REPLACED = 'dataset replaced, cached bodies dropped';

/** Counts the bodies read since the last call, by source. */
async function counted(): Promise<Record<string, number>> {
  const metric = counter('esd_body_reads_total');
  const { values } = await metric.get();
  metric.reset();
  const from: Record<string, number> = {};
  for (const { labels, value } of values) if (value > 0) from[String(labels.source)] = value;
  return from;
}

const someRows = (rows: number): number[] => Array.from({ length: rows }, (_, index) => ((index * 7_919) % rows) + 1);

/** Reads rows, compares them with PostgreSQL, and returns the counts by source. */
async function readAll(store: BodyStore, rowIds: readonly number[]): Promise<Record<string, number>> {
  const { datasetId } = await getHead(database);
  await counted();
  const bodies = await store.find(datasetId, rowIds);
  expect(bodies.map(String)).toEqual(await findBodies(database, rowIds));
  return counted();
}

/** Reads all rows until every body comes from memory. The store may also notice a state between two changes of the dataset. */
async function untilCached(store: BodyStore, rows: number): Promise<void> {
  for (let from = {}; JSON.stringify(from) !== JSON.stringify({ memory: rows });) {
    await sleep(50);
    from = await readAll(store, someRows(rows));
  }
}

test('all bodies that fit are cached, including later ones', async () => {
  await publish(1, 700, 'first');
  const { store, next } = openStore();
  expect(await next(CACHED)).toMatchObject({ bodies: 700 });
  expect(await readAll(store, someRows(700))).toEqual({ memory: 700 });
  await publish(701, 900, 'second');
  expect(await next(CACHED)).toMatchObject({ bodies: 900 });
  expect(await readAll(store, someRows(900))).toEqual({ memory: 900 });
});

test('bodies are read but not cached until the read index is filled', async () => {
  await publish(1, 10, 'first');
  const polledAgain = Promise.withResolvers<void>();
  let [polls, isFilled] = [0, false];
  const check = async (): Promise<void> => {
    polls += 1;
    if (polls === 2) polledAgain.resolve();
    if (!isFilled) throw new Error('the read index is being filled');
  };
  const { store, next } = openStore(10, { check });
  await polledAgain.promise;
  expect(await readAll(store, someRows(10))).toEqual({ postgres: 10 });
  isFilled = true;
  expect(await next(CACHED)).toMatchObject({ bodies: 10 });
  expect(await readAll(store, someRows(10))).toEqual({ memory: 10 });
});

test('at its limit, the cache has the newest bodies and replaces them with the last read ones', async () => {
  await publish(1, 900, 'first');
  const { store, next } = openStore(0.2);
  const { bodies } = z.looseObject({ bodies: z.number() }).parse(await next(CACHED));
  expect(bodies).toBeGreaterThan(100);
  expect(bodies).toBeLessThan(200);
  expect(await readAll(store, [900, 899])).toEqual({ memory: 2 });
  expect(await readAll(store, [1, 2])).toEqual({ postgres: 2 });
  expect(await readAll(store, [1, 2, 900])).toEqual({ memory: 3 });
  // Reading the first rows of the log displaces all others.
  expect(await readAll(store, someRows(300))).toEqual({ memory: 2, postgres: 298 });
  expect(await readAll(store, [900, 899])).toEqual({ postgres: 2 });
  // The cache is full again: about as many bodies as at first.
  const { memory = 0 } = await readAll(store, someRows(900).reverse());
  expect(Math.abs(memory - bodies)).toBeLessThan(10);
});

test('one statement reads a page', async () => {
  await publish(1, 900, 'first');
  const { store, statements, next } = openStore(0.2);
  await next(CACHED);
  const { datasetId } = await getHead(database);
  // Ends the polls, whose statements would count.
  await store.stop();
  const before = statements();
  expect(await store.find(datasetId, someRows(100))).toHaveLength(100);
  expect(statements() - before).toBe(1);
});

test('callers that read a missing body at the same time all get it', async () => {
  await publish(1, 900, 'first');
  const { store, next } = openStore(0.2);
  await next(CACHED);
  const { datasetId } = await getHead(database);
  const [expected] = await findBodies(database, [7]);
  const found = await Promise.all(Array.from({ length: 20 }, () => store.find(datasetId, [7, 7])));
  expect(found.flat().map(String)).toEqual(Array.from({ length: 40 }, () => expected));
});

test('an unknown row throws an error', async () => {
  await publish(1, 10, 'first');
  const { store, next } = openStore();
  await next(CACHED);
  const { datasetId } = await getHead(database);
  await expect(store.find(datasetId, [3, 11])).rejects.toThrow('the log has no row 11');
  expect(await store.find(datasetId, [])).toEqual([]);
});

test('bodies of a replaced dataset are never returned for the new one', async () => {
  await publish(1, 500, 'first');
  const [stopped, { store, next }] = [openStore(), openStore()];
  await Promise.all([stopped.next(CACHED), next(CACHED)]);
  const previous = await getHead(database);
  // Does not notice the new dataset.
  await stopped.store.stop();
  await anotherDataset();
  await publish(1, 600, 'second');
  expect(await readAll(stopped.store, someRows(600))).toEqual({ postgres: 600 });
  expect(String((await stopped.store.find(previous.datasetId, [1]))[0])).toMatch('first');
  await next(REPLACED);
  await untilCached(store, 600);
  await expect(store.find(previous.datasetId, [601])).rejects.toThrow('the log has no row 601');
  expect((await store.find(previous.datasetId, [1])).map(String)).toEqual(await findBodies(database, [1]));
});

test('a dataset that was restored to an earlier state counts as replaced, though its id is the same', async () => {
  await publish(1, 500, 'first');
  const { datasetId, revision } = await getHead(database);
  const { store, next } = openStore();
  await next(CACHED);
  await sql`update dataset_head set dataset_id = gen_random_uuid()`.execute(database);
  await next(REPLACED);
  await next(CACHED);
  await anotherDataset();
  await publish(1, 500, 'second');
  await sql`update dataset_head set dataset_id = ${datasetId}`.execute(database);
  expect(await getHead(database)).toMatchObject({ datasetId, revision });
  await next(REPLACED);
  await untilCached(store, 500);
});

test('rows that are newer than the store are read but not cached', async () => {
  await publish(1, 10, 'first');
  const { store, next } = openStore();
  await next(CACHED);
  // Does not notice the new rows.
  await store.stop();
  await publish(11, 20, 'second');
  for (let times = 0; times < 2; times += 1) expect(await readAll(store, [11, 1])).toEqual({ memory: 1, postgres: 1 });
});

test('every body is right while the store loads and records are approved', async () => {
  for (let from = 1; from < 3_000; from += 1_000) await publish(from, from + 999, 'first');
  const { store } = openStore();
  for (let to = 3_010; to <= 3_100; to += 10) {
    await Promise.all([publish(to - 9, to, 'later'), readAll(store, someRows(3_000))]);
    await readAll(store, someRows(to));
  }
  await untilCached(store, 3_100);
});

test('the largest allowed body is cached', async () => {
  await publish(1, 30, 'large', 240_000);
  const { store, next } = openStore();
  await next(CACHED);
  expect(await readAll(store, someRows(30))).toEqual({ memory: 30 });
});
