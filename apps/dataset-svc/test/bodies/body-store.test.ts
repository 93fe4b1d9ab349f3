import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { metrics } from '@esd/service/health/metrics';
import { openDatabase } from '@esd/service/database/postgres';
import { createDatabase } from '@esd/testing/servers';
import { type Kysely, sql } from 'kysely';
import { pino } from 'pino';
import { z } from 'zod';
import { migrations } from '../../migrations/index.ts';
import { type BodyStore, openBodyStore } from '../../src/bodies/body-store.ts';
import { findBodies, getHead } from '../../src/dataset-log/dataset-log.store.ts';
import { type AppendApproved, logAppender } from '../../src/publish/append-approved.ts';
import { seedLists } from '../../src/reference/seed-lists.ts';
import type { Tables } from '../../src/tables.ts';

/** One line of the log of a store. */
const line = z.looseObject({ msg: z.string() });
type Line = z.output<typeof line>;

/** The log of a store, of which a test waits for lines. */
interface Told {
  tell: (text: string) => void;
  /** The next line with this message and members; each counts once. */
  next: (msg: string, members?: object) => Promise<Line>;
}

function told(): Told {
  const lines: Line[] = [];
  let waiting: (() => void)[] = [];
  const fits = (one: Line, wanted: object): boolean =>
    Object.entries(wanted).every(([name, value]) => JSON.stringify(one[name]) === JSON.stringify(value));
  return {
    tell: (text) => {
      lines.push(line.parse(JSON.parse(text)));
      const resume = waiting;
      waiting = [];
      for (const go of resume) go();
    },
    next: async (msg, members = {}) => {
      for (;;) {
        const index = lines.findIndex((one) => fits(one, { msg, ...members }));
        const [found] = index < 0 ? [] : lines.splice(index, 1);
        if (found) return found;
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
  };
}

let database: Kysely<Tables>;
let url: string;
let drop: () => Promise<void>;
let append: AppendApproved;
let folder: string;
const open: BodyStore[] = [];
const children: ChildProcess[] = [];

beforeAll(async () => {
  ({ url, drop } = await createDatabase('bodies', migrations));
  database = openDatabase<Tables>(url, 10, pino({ level: 'silent' }));
  await seedLists(database);
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'esd-bodies-test-'));
  await anotherDataset();
});

afterEach(async () => {
  for (const store of open.splice(0)) await store.stop();
  for (const child of children.splice(0)) await kill(child);
  await rm(folder, { recursive: true, force: true });
});

afterAll(async () => {
  await database.destroy();
  await drop();
});

/** Begins another dataset without records, whose rows have the same ids as those before. */
async function anotherDataset(): Promise<void> {
  await sql`truncate record_revision, record_hash, index_row, index_term restart identity`.execute(database);
  await sql`delete from dataset_revision where revision > 1`.execute(database);
  await sql`
    update dataset_head
    set revision = 1, record_count = 0, reference_revision = 1, dataset_id = gen_random_uuid()`.execute(database);
  append = logAppender(database);
}

/** Publishes records whose bodies are of about `size` bytes, in one dataset revision. */
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

interface StoreOptions {
  memoryMegabytes?: number;
  diskMegabytes?: number;
  folder?: string | undefined;
}

function openStore(options: StoreOptions = {}): { store: BodyStore; next: Told['next'] } {
  const { tell, next } = told();
  const log = pino({ level: 'debug' }, { write: tell });
  const store = openBodyStore({ database, ...SMALL, folder, ...options, log });
  open.push(store);
  return { store, next };
}

async function stop(store: BodyStore): Promise<void> {
  open.splice(open.indexOf(store), 1);
  await store.stop();
}

/** A store in a process of its own, which ends in order when `child.stdin` does. Files may grow up to `maxFileKb`. */
function openElsewhere(maxFileKb?: number): { child: ChildProcess; next: Told['next'] } {
  const limit = maxFileKb === undefined ? '' : `ulimit -f ${maxFileKb};`;
  const script = fileURLToPath(new URL('../hold-bodies.ts', import.meta.url));
  const args = ['-c', `${limit} exec "$@"`, 'sh', process.execPath, script, url, folder];
  const child = spawn('sh', args, { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, NODE_OPTIONS: '' } });
  children.push(child);
  const { tell, next } = told();
  createInterface({ input: child.stdout }).on('line', tell);
  return { child, next };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

const HELD = 'bodies are held';
/** Megabytes. */
const SMALL = { memoryMegabytes: 0.2, diskMegabytes: 100 };
const LARGE = { memoryMegabytes: 10, diskMegabytes: 100 };

/** How many bodies came from where since the last call. */
async function counted(): Promise<Record<string, number>> {
  const metric = metrics.getSingleMetric('esd_bodies_read_total');
  const values = (await metric?.get())?.values ?? [];
  metric?.reset();
  const from: Record<string, number> = {};
  for (const { labels, value } of values) if (value > 0) from[String(labels['from'])] = value;
  return from;
}

async function valueOf(name: string): Promise<number> {
  return (await metrics.getSingleMetric(name)?.get())?.values[0]?.value ?? 0;
}

/** Asks for all rows in a mixed order, expects what PostgreSQL has, and returns from where they came. */
async function readAll(store: BodyStore, rows: number): Promise<Record<string, number>> {
  const rowIds = Array.from({ length: rows }, (_, index) => ((index * 7_919) % rows) + 1);
  const { datasetId } = await getHead(database);
  await counted();
  const bodies = await store.find(datasetId, rowIds);
  expect(bodies.map(String)).toEqual(await findBodies(database, rowIds));
  return counted();
}

/** Changes a body behind the store's back, which the service never does: tells what was read before from what is read now. */
const changeBody = (rowId: number) =>
  database.updateTable('record_revision').set({ body: '{"changed":true}' }).where('row_id', '=', rowId).execute();

const bodyOf = async (store: BodyStore, rowId: number): Promise<string> =>
  String((await store.find((await getHead(database)).datasetId, [rowId]))[0]);

test('bodies are in memory while they are small, whatever they are made of', async () => {
  await publish(1, 700, 'first');
  const { store, next } = openStore(LARGE);
  await next(HELD, { in: 'memory' });
  expect(await readAll(store, 700)).toEqual({ memory: 700 });
  expect(readdirSync(join(folder, '1'))).not.toContain('bodies');
});

test('beyond the limit of memory they are on disk, those that come later too', async () => {
  await publish(1, 100, 'first');
  const { store, next } = openStore();
  expect(await next(HELD)).toMatchObject({ in: 'memory' });
  expect(await readAll(store, 100)).toEqual({ memory: 100 });
  await publish(101, 900, 'second');
  expect(await next(HELD)).toMatchObject({ in: 'disk' });
  expect(await readAll(store, 900)).toEqual({ disk: 900 });
  await publish(901, 1_000, 'third');
  await next(HELD);
  expect(await readAll(store, 1_000)).toEqual({ disk: 1_000 });
});

test('a row that the log does not have is an error, not another body', async () => {
  await publish(1, 10, 'first');
  const { store, next } = openStore(LARGE);
  await next(HELD);
  const { datasetId } = await getHead(database);
  await expect(store.find(datasetId, [3, 11])).rejects.toThrow('the log has no row 11');
  expect(await store.find(datasetId, [])).toEqual([]);
});

test('without a folder they are in a file without a name', async () => {
  const before = readdirSync(tmpdir());
  await publish(1, 500, 'first');
  const { store, next } = openStore({ folder: undefined });
  await next(HELD, { in: 'disk' });
  expect(await readAll(store, 500)).toEqual({ disk: 500 });
  expect(readdirSync(tmpdir()).filter((name) => /^esd-bodies-\w{6}$/.test(name) && !before.includes(name))).toEqual([]);
});

test('what was closed in order is opened again, and only what is new is read', async () => {
  await publish(1, 500, 'first');
  const first = openStore();
  const { bytes } = await first.next(HELD, { in: 'disk' });
  await stop(first.store);
  await changeBody(17);
  await publish(501, 510, 'second');
  const { store, next } = openStore();
  const held = await next(HELD, { in: 'disk' });
  expect(held).toMatchObject({ read: { bytes: Number(held['bytes']) - Number(bytes) } });
  expect(await bodyOf(store, 17)).toContain('first');
  expect(await bodyOf(store, 510)).toContain('second');
});

test('what now fits into memory is read again', async () => {
  await publish(1, 500, 'first');
  const first = openStore();
  await first.next(HELD, { in: 'disk' });
  await stop(first.store);
  const { store, next } = openStore(LARGE);
  await next(HELD, { in: 'memory' });
  expect(await readAll(store, 500)).toEqual({ memory: 500 });
  expect(readdirSync(join(folder, '1'))).not.toContain('bodies');
});

test('what a process left that was killed is not used, nor what was closed in order before it', async () => {
  await publish(1, 500, 'first');
  for (const closedBefore of [false, true]) {
    const { child, next } = openElsewhere();
    const held = await next(HELD, { in: 'disk' });
    expect(held).toMatchObject({ read: { bytes: closedBefore ? 0 : held['bytes'] } });
    await kill(child);
    await changeBody(closedBefore ? 18 : 17);
    const again = openStore();
    await again.next(HELD, { in: 'disk' });
    expect(readdirSync(folder)).toEqual(['1']);
    expect(await readAll(again.store, 500)).toEqual({ disk: 500 });
    await stop(again.store);
  }
});

test.each([
  ['the list of places', 'offsets'],
  ['what tells of the store', 'closed.json'],
])('a store with damage to %s is not used', async (_, name) => {
  await publish(1, 500, 'first');
  const first = openStore();
  await first.next(HELD, { in: 'disk' });
  await stop(first.store);
  const file = join(folder, '1', name);
  const bytes = readFileSync(file);
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  writeFileSync(file, bytes);
  await changeBody(17);
  const again = openStore();
  await again.next(HELD, { in: 'disk' });
  expect(await readAll(again.store, 500)).toEqual({ disk: 500 });
});

test('for a damaged body PostgreSQL answers, and the next start reads all anew', async () => {
  await publish(1, 500, 'first');
  const { store, next } = openStore();
  await next(HELD, { in: 'disk' });
  const damagedBefore = await valueOf('esd_bodies_damaged_total');
  const file = openSync(join(folder, '1', 'bodies'), 'r+');
  writeSync(file, '!', 2_500);
  closeSync(file);
  expect(await readAll(store, 500)).toEqual({ disk: 499, postgres: 1 });
  await next('a body on disk is damaged: PostgreSQL answers for it');
  expect(await valueOf('esd_bodies_damaged_total')).toBe(damagedBefore + 1);
  await stop(store);
  const again = openStore();
  const held = await again.next(HELD, { in: 'disk' });
  expect(held).toMatchObject({ read: { bytes: held['bytes'] } });
  expect(await readAll(again.store, 500)).toEqual({ disk: 500 });
});

test('a file that was cut costs time, never a body', async () => {
  await publish(1, 500, 'first');
  const { store, next } = openStore();
  await next(HELD, { in: 'disk' });
  const file = join(folder, '1', 'bodies');
  writeFileSync(file, readFileSync(file).subarray(0, 100_000));
  const from = await readAll(store, 500);
  expect(Object.keys(from).sort()).toEqual(['disk', 'postgres']);
});

test('bodies of another dataset are never taken for those of this one', async () => {
  await publish(1, 500, 'first');
  const first = openStore();
  await first.next(HELD, { in: 'disk' });
  const old = await getHead(database);
  await anotherDataset();
  await publish(1, 600, 'second');
  // While it holds the old one.
  expect(await readAll(first.store, 600)).toMatchObject({ postgres: 600 });
  expect(String((await first.store.find(old.datasetId, [1]))[0])).toMatch(/first|second/);
  await first.next('the dataset was replaced: its bodies are read anew');
  await first.next(HELD, { in: 'disk' });
  expect(await readAll(first.store, 600)).toEqual({ disk: 600 });
  await stop(first.store);
  // And after a restart.
  await anotherDataset();
  await publish(1, 550, 'third');
  const again = openStore();
  await again.next(HELD, { in: 'disk' });
  expect(await readAll(again.store, 550)).toEqual({ disk: 550 });
});

test('a dataset that was put back to an older state is another one, though its id is the same', async () => {
  await publish(1, 500, 'first');
  const { datasetId, revision } = await getHead(database);
  const first = openStore();
  await first.next(HELD, { in: 'disk' });
  await stop(first.store);
  await anotherDataset();
  await publish(1, 500, 'second');
  await sql`update dataset_head set dataset_id = ${datasetId}`.execute(database);
  expect(await getHead(database)).toMatchObject({ datasetId, revision });
  const again = openStore();
  await again.next(HELD, { in: 'disk' });
  expect(await readAll(again.store, 500)).toEqual({ disk: 500 });
});

test('processes that share a folder have one each', async () => {
  await publish(1, 500, 'first');
  const other = openElsewhere();
  await other.next(HELD, { in: 'disk' });
  const { store, next } = openStore();
  await next(HELD, { in: 'disk' });
  expect(readdirSync(folder)).toEqual(['1', '2']);
  expect(await readAll(store, 500)).toEqual({ disk: 500 });
  await stop(store);
  other.child.stdin?.end();
  await once(other.child, 'exit');
  // Each can be used again.
  for (const _ of [1, 2]) {
    const again = openStore();
    expect(await again.next(HELD, { in: 'disk' })).toMatchObject({ read: { bytes: 0 } });
  }
});

test('on a disk that is full it keeps what it holds, and PostgreSQL answers for the others', async () => {
  for (const from of [1, 1_001]) await publish(from, from + 999, 'first');
  const { next } = openElsewhere(1_024);
  await next('bodies cannot be stored: newer ones are read from PostgreSQL until the next start');
  const { from, right } = z
    .looseObject({ from: z.record(z.string(), z.number()), right: z.boolean() })
    .parse(await next('all bodies were read'));
  expect(right).toBe(true);
  expect(Object.keys(from).sort()).toEqual(['disk', 'postgres']);
});

test('beyond the limit of the disk PostgreSQL answers, also after the next start', async () => {
  for (const from of [1, 1_001]) await publish(from, from + 999, 'first');
  const failuresBefore = await valueOf('esd_bodies_failures_total');
  for (const failures of [1, 2]) {
    const { store, next } = openStore({ diskMegabytes: 1 });
    await next('bodies cannot be stored: newer ones are read from PostgreSQL until the next start');
    expect(await valueOf('esd_bodies_failures_total')).toBe(failuresBefore + failures);
    const { disk = 0, postgres } = await readAll(store, 2_000);
    expect(disk).toBeGreaterThan(500);
    expect(postgres).toBe(2_000 - disk);
    await stop(store);
  }
});

test('where no folder can be made it holds what fits into memory', async () => {
  const file = join(folder, 'a-file');
  writeFileSync(file, '');
  await publish(1, 100, 'first');
  const { store, next } = openStore({ folder: file });
  await next('the folder for bodies cannot be used');
  await next(HELD, { in: 'memory' });
  await publish(101, 1_000, 'second');
  await next('bodies cannot be stored: newer ones are read from PostgreSQL until the next start');
  expect(await readAll(store, 1_000)).toEqual({ memory: 100, postgres: 900 });
});

test('while it loads, and while records are approved, every body is right', async () => {
  for (let from = 1; from < 3_000; from += 1_000) await publish(from, from + 999, 'first');
  const { store, next } = openStore();
  for (let to = 3_010; to <= 3_100; to += 10) {
    await Promise.all([publish(to - 9, to, 'later'), readAll(store, 3_000)]);
    await readAll(store, to);
  }
  const { revision } = await getHead(database);
  for (let reached = 0; reached < revision;) {
    const { read } = z.looseObject({ read: z.looseObject({ revision: z.number() }) }).parse(await next(HELD));
    reached = read.revision;
  }
  expect(await readAll(store, 3_100)).toEqual({ disk: 3_100 });
});

test('the largest body that is allowed is held', async () => {
  await publish(1, 30, 'large', 240_000);
  const { store, next } = openStore();
  await next(HELD, { in: 'disk' });
  expect(await readAll(store, 30)).toEqual({ disk: 30 });
});
