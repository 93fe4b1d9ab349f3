import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Kysely, sql } from 'kysely';
import { pino } from 'pino';
import type { ExperimentData } from '@esd/record/catalog/catalog';
import { parsePublicRecord } from '@esd/record/catalog/public-record';
import { parseFilter } from '@esd/record/filter/parse-filter';
import { parseSort } from '@esd/record/filter/sort-keys';
import { openDatabase } from '@esd/service/database/postgres';
import type { CallContext } from '@esd/service/rpc/rpc-server';
import { createDatabase } from '@esd/testing/servers';
import { migrations } from '../../migrations/index.ts';
import { openBulkReads } from '../../src/bulk-reads.ts';
import { findBodies, getHead } from '../../src/dataset-log/dataset-log.store.ts';
import { logAppender } from '../../src/publish/append-approved.ts';
import { createQuery } from '../../src/query/create-query.ts';
import { openQueryRows } from '../../src/query/query-rows.ts';
import { storeQuery } from '../../src/query/query.store.ts';
import { openReadIndex, type ReadIndex } from '../../src/read-index/read-index.ts';
import { seedLists } from '../../src/reference/seed-lists.ts';
import type { Tables } from '../../src/tables.ts';
import { retryWhileUnavailable } from '../retry-while-unavailable.ts';

const log = pino({ level: 'silent' });
const bulkReads = openBulkReads();
let database: Kysely<Tables>;
let index: ReadIndex;
let drop: () => Promise<void>;

beforeAll(async () => {
  let url;
  ({ url, drop } = await createDatabase('queries', migrations));
  database = openDatabase<Tables>(url, 10, log);
  await seedLists(database);
  for (const recordId of [1, 2, 3, 4]) await publish(recordId, 1, 10 * (5 - recordId));
  index = openReadIndex({ database, databaseUrl: url, log });
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

const callFrom = (clientIp: string, accountId?: string): CallContext => ({
  requestId: 'r',
  peer: 'gateway',
  caller: accountId === undefined ? undefined : { accountId, role: 'USER', credential: 'session' },
  clientIp,
  client: `address ${clientIp}`,
  deadline: Date.now() + 60_000,
  signal: new AbortController().signal,
  log,
});

interface QueryOptions {
  filter?: string;
  sort?: string;
  fields?: string[];
  once?: boolean;
  call?: CallContext;
}

/** Creates a query once the index is at the newest state. */
const ask = ({
  filter: filterJson = '{}',
  sort: keys,
  fields = [],
  once = false,
  call = callFrom('192.0.2.1', randomUUID()),
}: QueryOptions) =>
  retryWhileUnavailable(async () => {
    const filter = parseFilter(filterJson);
    const sort = keys === undefined ? { sort: [] } : parseSort(keys);
    if ('problem' in filter || 'problem' in sort) throw new Error('invalid filter or sort');
    const input = { filter: filter.filter, filterJson, sort: sort.sort, fields, once, version: undefined };
    return createQuery({ database, index, bulkReads }, { ...input, atLeast: await getHead(database) }, call);
  });

/** Reads the records of a query, without a cache. */
async function bodiesOf(id: string): Promise<string[]> {
  return findBodies(database, [...(await openQueryRows(database).find(id)).rowIds]);
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Computes the digest of records whose canonical JSON is known. */
function plainDigest(bodies: readonly string[]): string {
  const hashes = bodies
    .map((body) => parsePublicRecord(body))
    .sort((a, b) => a.recordId - b.recordId)
    .map(({ recordId, data: { processParameter: { voltage = 0 } = {} } }) =>
      sha256(
        `{"experimentId":${recordId},"processParameter":{"voltage":${voltage},"voltageUnit":"kV"},"recordId":${recordId}}`,
      ),
    );
  return sha256(hashes.map((hash) => `${hash}\n`).join(''));
}

test('a query keeps its records and their order after later publications', async () => {
  const { query, created } = await ask({ filter: '{"voltageMin":15}', sort: 'voltage', fields: ['fiberProperty'] });
  expect(created).toBe(true);
  expect(query).toMatchObject({ record_count: 3, sort: 'voltage', fields: 'fiberProperty', version: 'latest' });
  const stored = await bodiesOf(query.id);
  expect(stored.map((body) => parsePublicRecord(body).recordId)).toEqual([3, 2, 1]);
  expect(query.digest).toBe(plainDigest(stored));
  await publish(2, 2, 1);
  await publish(5, 1, 70);
  expect(await bodiesOf(query.id)).toEqual(stored);
  const later = await ask({ filter: '{"voltageMin":15}', sort: 'voltage', fields: ['fiberProperty'] });
  expect(later.created).toBe(true);
  expect((await bodiesOf(later.query.id)).map((body) => parsePublicRecord(body).recordId)).toEqual([3, 1, 5]);
});

test('a query returns its stored records, not those that match its filter', async () => {
  const { query } = await ask({ filter: '{"voltageMin":20}' });
  const stored = await bodiesOf(query.id);
  for (const change of [
    database.updateTable('query').set({ filter: '{}' }).where('id', '=', query.id),
    database.deleteFrom('query').where('id', '=', query.id),
  ]) {
    await expect(change.execute()).rejects.toThrow('cannot be changed');
  }
  await sql`alter table query disable trigger keep_query`.execute(database);
  await database.updateTable('query').set({ filter: '{"polymer":"PVA"}' }).where('id', '=', query.id).execute();
  await sql`alter table query enable trigger keep_query`.execute(database);
  expect(await bodiesOf(query.id)).toEqual(stored);
  const { state } = await openQueryRows(database).find(query.id);
  expect(state.revision).toBe(query.revision);
});

/** Returns the number of new queries that were counted. */
async function counted(): Promise<number> {
  const rows = await database.selectFrom('query_client').select('queries').execute();
  return rows.reduce((sum, { queries }) => sum + queries, 0);
}

test('concurrent equal requests with the same records create one query', async () => {
  const call = callFrom('192.0.2.77');
  const before = await counted();
  const results = await Promise.all(
    Array.from({ length: 12 }, (_, at) =>
      ask({
        filter: at % 2 === 0 ? '{"voltageMin":20,"voltageMax":90}' : '{ "voltageMax": "90", "voltageMin": 20.0 }',
        call,
      }),
    ),
  );
  expect(results.filter(({ created }) => created)).toHaveLength(1);
  expect(await counted()).toBe(before + 1);
  expect(new Set(results.map(({ query }) => JSON.stringify(query))).size).toBe(1);
  // A new revision with the same matching records is the same query.
  await publish(6, 1, 1);
  const again = await ask({ filter: '{"voltageMax":90,"voltageMin":20}', call });
  expect([again.created, again.query.id]).toEqual([false, results[0]?.query.id]);
  const ids = new Set([again.query.id]);
  for (const other of [{ sort: 'voltage' }, { sort: '-voltage' }, { fields: ['recordId'] }]) {
    ids.add((await ask({ filter: '{"voltageMin":20,"voltageMax":90}', ...other })).query.id);
  }
  expect(ids.size).toBe(4);
});

const store = (name: string, call: CallContext) =>
  storeQuery(
    database,
    {
      id: sha256(name).slice(0, 32),
      ...{ filter: '{}', sort: null, fields: null, version: 'latest', revision: 1, record_count: 0, digest: '' },
      row_list: Buffer.alloc(0),
    },
    call,
  );

test('a client without an account can create 20 new queries a day, and existing ones do not count', async () => {
  const call = callFrom('198.51.100.1');
  const names = Array.from({ length: 30 }, (_, at) => `many ${at}`);
  const results = await Promise.allSettled(names.map((name) => store(name, call)));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
  const refused = results.flatMap((one): unknown[] => (one.status === 'rejected' ? [one.reason] : []));
  for (const reason of refused) {
    expect(reason).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: expect.any(Number) });
  }
  const created = names[results.findIndex(({ status }) => status === 'fulfilled')] ?? '';
  expect((await store(created, call)).created).toBe(false);
  await expect(store('one more', call)).rejects.toThrow(/20 new queries a day/);
  expect((await store('one more', callFrom('198.51.100.2'))).created).toBe(true);
  expect((await store('with an account', callFrom('198.51.100.1', randomUUID()))).created).toBe(true);
});

test('an IPv6 network can create eight times as many as one /64, and the count restarts each day', async () => {
  const from = (at: number) => callFrom(`2001:db8:5:${at.toString(16)}::1`);
  for (let block = 0; block < 8; block += 1) {
    for (let at = 0; at < 20; at += 1) await store(`six ${block} ${at}`, from(block));
    await expect(store(`six ${block} more`, from(block))).rejects.toThrow(/A client can create 20/);
  }
  await expect(store('six of the network', from(8))).rejects.toThrow(/IPv6 network \(\/48\) can create 160/);
  await sql`alter table query_client drop constraint query_client_day_fkey`.execute(database);
  await sql`update query_client set day = day - 1`.execute(database);
  await sql`update query_day set day = day - 1`.execute(database);
  await sql`alter table query_client add constraint query_client_day_fkey foreign key (day) references query_day on delete cascade`.execute(
    database,
  );
  expect((await store('six of the network', from(8))).created).toBe(true);
  const { makers } = await database
    .selectFrom('query_client')
    .select((on) => on.fn.countAll<number>().as('makers'))
    .executeTakeFirstOrThrow();
  expect(makers).toBe(2);
});

test('no address is stored', async () => {
  await store('anonymous', callFrom('203.0.113.9'));
  const rows = await database.selectFrom('query_client').selectAll().execute();
  const query = await database
    .selectFrom('query')
    .selectAll()
    .where('id', '=', sha256('anonymous').slice(0, 32))
    .execute();
  expect(JSON.stringify([rows, query])).not.toContain('203.0.113');
  for (const { client } of rows) expect(client.toString('hex')).not.toBe(sha256('address 203.0.113.9'));
});

test('at 100,000 queries without an account, only accounts can create new ones', async () => {
  await sql`
    insert into query (id, filter, version, revision, record_count, digest, row_list, by_account)
    select 'full ' || n, '{}', 'latest', 1, 0, '', '', false from generate_series(1, 100000) as n`.execute(database);
  await expect(store('too many', callFrom('203.0.113.1'))).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  expect((await store('too many', callFrom('203.0.113.1', randomUUID()))).created).toBe(true);
});
