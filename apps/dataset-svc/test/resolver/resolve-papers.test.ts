import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openDatabase } from '@esd/service/database/postgres';
import { createDatabase } from '@esd/testing/servers';
import { eventually } from '@esd/testing/eventually';
import type { Kysely } from 'kysely';
import { pino } from 'pino';
import { migrations } from '../../migrations/index.ts';
import { logAppender } from '../../src/publish/append-approved.ts';
import { openReadIndex, type ReadIndex } from '../../src/read-index/read-index.ts';
import { deleteEntry } from '../../src/reference/change-entry.ts';
import { importPapers } from '../../src/reference/change-papers.ts';
import { missingPapers } from '../../src/resolver/missing-papers.ts';
import { findPapersOf } from '../../src/reference/paper.store.ts';
import { resolvePapers } from '../../src/resolver/resolve-papers.ts';
import type { Tables } from '../../src/tables.ts';

const log = pino({ level: 'silent' });
const NEWEST = 2_147_483_647;
const by = { accountId: randomUUID(), requestId: 'r' };
const closing: (() => unknown)[] = [];
let database: Kysely<Tables>;
let index: ReadIndex;
/** The requested DOIs, and the largest number of simultaneous requests. */
const asked: string[] = [];
let [running, most] = [0, 0];
let recordId = 0;

async function publish(doi: string): Promise<void> {
  recordId += 1;
  const data = { researchMetadata: { doi } };
  const body = JSON.stringify({ recordId, ...data });
  await logAppender(database)([{ recordId, recordRevision: 1, body, data, approvedAt: new Date() }]);
}

beforeAll(async () => {
  const { url, drop } = await createDatabase('resolver', migrations);
  database = openDatabase<Tables>(url, 10, log);
  index = openReadIndex({ database, databaseUrl: url, log });
  await eventually(
    () => index.state().catch(() => undefined),
    (state) => state !== undefined,
  );
  const server = createServer((request, response) => {
    const doi = decodeURIComponent(request.url ?? '').slice(1);
    asked.push(doi);
    most = Math.max(most, ++running);
    setImmediate(() => {
      running -= 1;
      if (doi.includes('fails')) response.writeHead(404).end();
      else response.end(JSON.stringify({ DOI: doi, title: `Title of ${doi}` }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const options = {
    ...{ database, databaseUrl: url, index, log },
    resolver: { url: `http://127.0.0.1:${port}`, userAgent: 'test' },
  };
  // Two replicas.
  const stops = [resolvePapers(options), resolvePapers(options)];
  closing.push(
    () => Promise.all(stops.map((stop) => stop())),
    () => server.close(),
    () => index.stop(),
    () => database.destroy(),
    drop,
  );
});
afterAll(async () => {
  for (const close of closing) await close();
});

const entryOf = async (doi: string) => (await findPapersOf(database, [doi], NEWEST)).get(doi);

test('each DOI without an entry is requested once, one at a time, by one replica', async () => {
  await importPapers(database, JSON.stringify([{ DOI: '10.5555/listed', title: 'Listed' }]), by);
  for (const doi of [
    '10.5555/one',
    'https://doi.org/10.5555/TWO.',
    '10.5555/listed',
    'https://example.org/no-doi',
    '10.5555/fails',
  ])
    await publish(doi);
  const found = await eventually(
    () => entryOf('10.5555/two'),
    (entry) => entry !== undefined,
  );
  expect(found).toMatchObject({ title: 'Title of 10.5555/two', source: 'resolver' });
  await eventually(
    () => entryOf('10.5555/one'),
    (entry) => entry !== undefined,
  );
  const { papers } = await eventually(
    () => missingPapers(database, index, { skip: 0, limit: 10 }),
    // The index reads a new entry after the database has it.
    ({ papers: [first], total }) => first?.problem !== undefined && total === 2,
  );
  expect(papers).toMatchObject([
    { doi: '10.5555/fails', records: 1, attempts: 1, problem: expect.stringMatching(/404/) },
    { doi: 'https://example.org/no-doi', records: 1, attempts: 0, problem: undefined },
  ]);
  const [{ lastAt, nextAt } = { lastAt: undefined, nextAt: undefined }] = papers;
  expect((nextAt?.getTime() ?? 0) - (lastAt?.getTime() ?? 0)).toBe(3_600_000);
  expect([...asked].sort()).toEqual(['10.5555/fails', '10.5555/one', '10.5555/two']);
  expect(most).toBe(1);
  expect(await entryOf('10.5555/listed')).toMatchObject({ title: 'Listed', source: 'imported' });
  const { rows } = {
    rows: await database.selectFrom('reference_change').selectAll().where('list', '=', 'papers').execute(),
  };
  expect(rows.filter(({ account_id: account }) => /^0[0-]*$/.test(account))).toHaveLength(2);
});

test('a failed lookup is repeated when it is due, then after a day and every week', async () => {
  const day = 24 * 3_600_000;
  for (const [attempts, wait] of [
    [2, day],
    [3, 7 * day],
    [4, 7 * day],
  ] as const) {
    await database
      .updateTable('paper_lookup')
      .set({ next_at: new Date() })
      .where('doi', '=', '10.5555/fails')
      .execute();
    // The next revision starts a turn.
    await publish(`https://example.org/${attempts}`);
    const lookup = await eventually(
      () =>
        database.selectFrom('paper_lookup').selectAll().where('doi', '=', '10.5555/fails').executeTakeFirstOrThrow(),
      (row) => row.attempts === attempts,
    );
    expect((lookup.next_at?.getTime() ?? 0) - lookup.last_at.getTime()).toBe(wait);
  }
});

test('an entry that an administrator deletes is not requested again', async () => {
  const { id = 0 } = (await entryOf('10.5555/one')) ?? {};
  await deleteEntry(database, 'papers', id, by);
  await publish('10.5555/three');
  await eventually(
    () => entryOf('10.5555/three'),
    (entry) => entry !== undefined,
  );
  expect(asked.filter((doi) => doi === '10.5555/one')).toHaveLength(1);
  expect(await entryOf('10.5555/one')).toBeUndefined();
});
