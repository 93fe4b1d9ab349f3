import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Kysely, sql } from 'kysely';
import { pino } from 'pino';
import { readDatasetFacts } from '@esd/dataset-client/dataset-facts';
import { SnapshotFrozen } from '@esd/proto/esd/events/v1/snapshot_frozen';
import type { ExperimentData } from '@esd/record/catalog/catalog';
import { openDatabase } from '@esd/service/database/postgres';
import type { CallContext } from '@esd/service/rpc/rpc-server';
import { demoDatasetFile } from '@esd/testing/demo';
import { createDatabase } from '@esd/testing/servers';
import { migrations } from '../../migrations/index.ts';
import { type BodyStore, openBodyStore } from '../../src/bodies/body-store.ts';
import { logAppender } from '../../src/publish/append-approved.ts';
import { getHead } from '../../src/dataset-log/dataset-log.store.ts';
import { seedLists } from '../../src/reference/seed-lists.ts';
import { releasesRpc } from '../../src/rpc/releases.rpc.ts';
import type { Tables } from '../../src/tables.ts';
import { describeRelease } from '../../src/release/describe-release.ts';
import { openBulkReads } from '../../src/bulk-reads.ts';
import { diffStates, type DifferingRecord } from '../../src/release/diff-states.ts';
import { failRelease } from '../../src/release/fail-release.ts';
import { freezeRelease } from '../../src/release/freeze-release.ts';
import { reserveRelease } from '../../src/release/reserve-release.ts';
import { decodeSnapshotFrozen } from '../../src/release/snapshot-frozen.event.ts';
import { findFrozenReleases, getFrozenRelease, getRelease } from '../../src/release/release.store.ts';

const log = pino({ level: 'silent' });
const accountId = randomUUID();
const by = { accountId, requestId: 'test' };
let database: Kysely<Tables>;
let bodies: BodyStore;
let url: string;
let drop: () => Promise<void>;

beforeAll(async () => {
  ({ url, drop } = await createDatabase('versions', migrations));
  database = openDatabase<Tables>(url, 10, log);
  bodies = openBodyStore({ database, index: { check: () => Promise.resolve() }, memoryMegabytes: 1, log });
  await seedLists(database);
  await publish(1, 1, { processParameter: { voltage: 10 } });
  await publish(2, 1, { processParameter: { voltage: 20 } });
});

afterAll(async () => {
  await bodies.stop();
  await database.destroy();
  await drop();
});

async function publish(recordId: number, recordRevision: number, data: ExperimentData): Promise<number> {
  const body = JSON.stringify({ recordId, experimentId: recordId, ...data });
  const revision = await logAppender(database)([{ recordId, recordRevision, body, data, approvedAt: new Date() }]);
  if (revision === undefined) throw new Error('nothing was published');
  return revision;
}

const FACTS_JSON = JSON.stringify(readDatasetFacts(demoDatasetFile));

const reserve = (identifier: string, more: { jobId?: string; doi?: string } = {}) =>
  reserveRelease(database, { jobId: randomUUID(), identifier, accountId, factsJson: FACTS_JSON, ...more }, 'test');

const digest = createHash('sha256').update('a digest').digest('hex');
const files = [{ format: 'json', bytes: 12, sha256: digest }];
const freeze = ({ id, job_id: jobId }: { id: number; job_id: string }, recordCount: number) =>
  freezeRelease(database, { jobId, releaseId: id, recordCount, digest, files, frozenAt: new Date() }, log);

async function frozen(identifier: string, more: { doi?: string } = {}) {
  const version = await reserve(identifier, more);
  await freeze(version, version.record_count);
  return version;
}

describe('reserve', () => {
  test('reserves the newest state, and the same job gets the same release', async () => {
    const head = await getHead(database);
    const version = await reserve('v0.1.0');
    expect(version).toMatchObject({
      state: 'BUILDING',
      revision: head.revision,
      record_count: 2,
      license: 'CC-BY-4.0',
      doi: null,
      digest: null,
    });
    await publish(3, 1, { processParameter: { voltage: 30 } });
    expect(await reserve('v0.1.0', { jobId: version.job_id })).toEqual(version);
  });

  test('reserves an identifier for only one of several concurrent jobs', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => reserve('v0.2.0')));
    const refused = outcomes.filter((one) => one.status === 'rejected');
    expect(refused).toHaveLength(7);
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 'CONFLICT' });
  });

  test.each(['1.0.0', 'v1.0', 'v01.0.0', 'v1.0.0-', 'v1.0.0+build', 'latest', 'v1.0.0 ', `v1.0.0-${'a'.repeat(80)}`])(
    'rejects "%s" as an identifier',
    async (identifier) => {
      await expect(reserve(identifier)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    },
  );

  test('another job retries a failed release at the newest state', async () => {
    const first = await reserve('v0.3.0-rc.1');
    await failRelease(database, { jobId: first.job_id, reason: 'The store is full.' }, 'test');
    expect(await getRelease(database, first.id)).toMatchObject({ state: 'FAILED', failure: 'The store is full.' });
    const revision = await publish(4, 1, { processParameter: { voltage: 40 } });
    const second = await reserve('v0.3.0-rc.1');
    expect(second).toMatchObject({ id: first.id, state: 'BUILDING', revision, failure: null });
    // The first job resumes.
    await freeze(first, first.record_count);
    await expect(failRelease(database, { jobId: first.job_id, reason: 'late' }, 'test')).rejects.toMatchObject({
      code: 'VERSION_NOT_FOUND',
    });
    expect(await getRelease(database, first.id)).toEqual(second);
  });
});

describe('freeze', () => {
  test('a release is found after it is frozen, and a repeated event changes nothing', async () => {
    const version = await reserve('v1.0.0');
    await expect(getFrozenRelease(database, 'v1.0.0')).rejects.toMatchObject({ code: 'VERSION_NOT_FOUND' });
    await freeze(version, version.record_count);
    const found = await getFrozenRelease(database, 'v1.0.0');
    expect(found).toMatchObject({ id: version.id, revision: version.revision, digest, files });
    await freeze(version, version.record_count);
    await failRelease(database, { jobId: version.job_id, reason: 'late' }, 'test');
    expect(await getFrozenRelease(database, 'v1.0.0')).toEqual(found);
  });

  test('files with a different number of records fail the release', async () => {
    const version = await reserve('v1.0.1');
    await freeze(version, version.record_count - 1);
    const { state, failure } = await getRelease(database, version.id);
    expect([state, failure]).toEqual(['FAILED', expect.stringContaining(String(version.record_count - 1))]);
  });

  test('the newest release is listed first', async () => {
    await frozen('v1.2.0');
    await frozen('v1.1.0');
    const names = (await findFrozenReleases(database)).map(({ identifier }) => identifier);
    expect(names.slice(0, 2)).toEqual(['v1.1.0', 'v1.2.0']);
    expect(names).not.toContain('v1.0.1');
    await expect(getFrozenRelease(database, 'v9.9.9')).rejects.toMatchObject({
      code: 'VERSION_NOT_FOUND',
      message: expect.stringContaining('v1.1.0, v1.2.0'),
    });
  });

  test.each([
    `update release set revision = 1 where identifier = 'v1.0.0'`,
    `update release set digest = 'other' where identifier = 'v1.0.0'`,
    `update release set state = 'FAILED', failure = 'x' where identifier = 'v1.0.0'`,
    `update release set files = '[]' where identifier = 'v1.0.0'`,
    `delete from release where identifier = 'v1.0.0'`,
  ])('the database rejects: %s', async (statement) => {
    await expect(sql.raw(statement).execute(database)).rejects.toThrow('v1.0.0 is frozen');
  });
});

describe('describe', () => {
  test('adds and removes values without changing the data', async () => {
    const { id } = await frozen('v2.0.0');
    const before = await getFrozenRelease(database, 'v2.0.0');
    const said = await describeRelease(database, id, { doi: 'https://doi.org/10.5281/ZENODO.77', license: null }, by);
    expect(said).toEqual({ ...before, doi: '10.5281/zenodo.77', license: null });
    for (const name of ['10.5281/zenodo.77', 'doi:10.5281/Zenodo.77', 'http://dx.doi.org/10.5281/zenodo.77']) {
      expect((await getFrozenRelease(database, name)).id).toBe(id);
    }
    expect((await describeRelease(database, id, { doi: null }, by)).doi).toBeNull();
    await expect(getFrozenRelease(database, '10.5281/zenodo.77')).rejects.toMatchObject({ code: 'VERSION_NOT_FOUND' });
  });

  test('a DOI belongs to one release', async () => {
    await frozen('v2.1.0', { doi: '10.5281/zenodo.78' });
    const { id } = await frozen('v2.2.0');
    await expect(describeRelease(database, id, { doi: 'doi:10.5281/Zenodo.78' }, by)).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    await expect(reserve('v2.3.0', { doi: '10.5281/zenodo.78' })).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  test('a previous DOI of a frozen release stays reserved for it', async () => {
    const { id: first } = await frozen('v2.4.0', { doi: '10.5281/zenodo.79' });
    const { id: second } = await frozen('v2.5.0');
    await describeRelease(database, first, { doi: '10.5281/zenodo.80' }, by);
    await describeRelease(database, first, { doi: null }, by);
    for (const doi of ['10.5281/zenodo.79', 'https://doi.org/10.5281/ZENODO.80']) {
      await expect(describeRelease(database, second, { doi }, by)).rejects.toMatchObject({
        code: 'CONFLICT',
        message: expect.stringContaining('belonged to the release v2.4.0'),
      });
      await expect(reserve('v2.6.0', { doi })).rejects.toMatchObject({ code: 'CONFLICT' });
    }
    expect((await describeRelease(database, first, { doi: '10.5281/zenodo.79' }, by)).doi).toBe('10.5281/zenodo.79');
  });

  test('a previous DOI of a release that was never frozen is free', async () => {
    const { id } = await reserve('v2.7.0', { doi: '10.5281/zenodo.81' });
    await expect(reserve('v2.8.0', { doi: '10.5281/zenodo.81' })).rejects.toMatchObject({ code: 'CONFLICT' });
    await describeRelease(database, id, { doi: null }, by);
    expect((await reserve('v2.8.0', { doi: '10.5281/zenodo.81' })).doi).toBe('10.5281/zenodo.81');
  });

  test.each([
    { doi: '10.5281/zenodo/facets' },
    { doi: 'https://doi.org/10.5281/zenodo/records/7' },
    { doi: '10.5281/zenodo%2Fexport' },
    { doi: 'zenodo 78' },
    { doi: '10.5281/../admin' },
    { doi: 'https://doi.org/10.5281/zenodo/.' },
    { doi: '' },
    { license: ' ' },
    { description: 'a\u0000b' },
    { description: 'a\u2066b' },
    { license: 'x'.repeat(201) },
  ])('%j is rejected', async (input) => {
    const { id } = await getFrozenRelease(database, 'v2.0.0');
    await expect(describeRelease(database, id, input, by)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });

  test('the audit trail has all actions', async () => {
    const { id } = await getFrozenRelease(database, 'v2.0.0');
    const trail = await database
      .selectFrom('release_change')
      .select(['action', 'account_id'])
      .where('release_id', '=', id)
      .orderBy('id')
      .execute();
    expect(trail).toEqual([
      { action: 'reserve', account_id: accountId },
      { action: 'freeze', account_id: null },
      { action: 'describe', account_id: accountId },
      { action: 'describe', account_id: accountId },
    ]);
  });
});

test('states are compared in both directions', async () => {
  const before = (await getHead(database)).revision;
  await publish(1, 2, { processParameter: { voltage: 11, voltageUnit: 'kV' } });
  await publish(2, 2, { processParameter: { voltage: 20 } });
  const after = await publish(100, 1, { processParameter: { voltage: 1 } });
  const diff = async (from: number, to: number, valued?: number): Promise<DifferingRecord[]> => {
    const found: DifferingRecord[] = [];
    const parts = { database, bodies, turn: <Part>(part: () => Promise<Part>) => part() };
    for await (const chunk of diffStates(parts, from, to, valued)) found.push(...chunk);
    return found;
  };
  const changed = [
    { recordId: 1, kind: 'changed', fields: ['processParameter.voltage', 'processParameter.voltageUnit'] },
  ];
  expect(await diff(before, after)).toEqual([{ recordId: 100, kind: 'added', fields: [] }, ...changed]);
  expect(await diff(after, before)).toEqual([{ recordId: 100, kind: 'removed', fields: [] }, ...changed]);
  expect(await diff(after, after)).toEqual([]);
  const [, withValues] = await diff(before, after, 1);
  expect(withValues).toMatchObject({
    recordId: 1,
    changes: [
      { path: 'processParameter.voltage', proposed: 11 },
      { path: 'processParameter.voltageUnit', proposed: 'kV' },
    ],
  });
  await expect(diff(before, after + 1)).rejects.toMatchObject({ code: 'VERSION_NOT_FOUND' });
});

test('only export-svc can reserve releases and mark them as failed', async () => {
  const { handlers } = releasesRpc(database, bodies, openBulkReads());
  const context: CallContext = {
    requestId: 'test',
    peer: 'gateway',
    caller: { accountId, role: 'ADMIN', credential: 'session' },
    clientIp: undefined,
    client: `account ${accountId}`,
    deadline: Date.now() + 5_000,
    signal: new AbortController().signal,
    log,
  };
  for (const method of ['reserveRelease', 'setReleaseFailed']) {
    const input = { jobId: randomUUID(), identifier: 'v7.0.0', accountId, reason: '', factsJson: '{}' };
    const refused = async () => handlers[method]?.(input, context);
    await expect(refused()).rejects.toMatchObject({ code: 'FORBIDDEN' });
  }
});

describe('the facts of the dataset', () => {
  const facts = readDatasetFacts(demoDatasetFile);
  const of = (title: string, license = 'CC0-1.0') => JSON.stringify({ ...facts, title, license });
  const input = (identifier: string, factsJson: string) => ({ jobId: randomUUID(), identifier, accountId, factsJson });

  test('are stored with the release and determine its license', async () => {
    const version = await reserveRelease(database, input('v8.0.0', of('The first')), 'test');
    expect(version).toMatchObject({ facts: { title: 'The first' }, license: 'CC0-1.0' });
    const own = { ...input('v8.1.0', of('The first')), license: 'MIT' };
    expect(await reserveRelease(database, own, 'test')).toMatchObject({ license: 'MIT' });
    const wrong = reserveRelease(database, input('v8.2.0', '{"title": ""}'), 'test');
    await expect(wrong).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringMatching(/title: .*creators: /),
    });
  });

  test('can be changed, and the previous ones stay in the audit trail', async () => {
    const version = await reserveRelease(database, input('v8.3.0', of('The second', 'CC-BY-4.0')), 'test');
    await freeze(version, version.record_count);
    const { id } = version;
    const changed = await describeRelease(database, id, { factsJson: of('Corrected') }, by);
    expect(changed).toMatchObject({ facts: { title: 'Corrected' }, license: 'CC-BY-4.0' });
    const { rows } = await sql<{ details: unknown }>`
      select details from release_change where release_id = ${id} order by id desc limit 1`.execute(database);
    expect(rows).toMatchObject([
      { details: { before: { facts: { title: 'The second' } }, after: { facts: { title: 'Corrected' } } } },
    ]);
    await expect(describeRelease(database, id, { factsJson: '{' }, by)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    });
  });
});

describe('the event snapshot.frozen', () => {
  const encode = (message: Partial<SnapshotFrozen>): Uint8Array =>
    SnapshotFrozen.encode(
      SnapshotFrozen.fromPartial({
        jobId: '0190d2b0-0000-7000-8000-000000000001',
        releaseId: 7,
        recordCount: 809,
        digest,
        files,
        frozenAt: new Date(0),
        ...message,
      }),
    ).finish();

  test('is decoded completely', () => {
    expect(decodeSnapshotFrozen(encode({}))).toEqual({
      jobId: '0190d2b0-0000-7000-8000-000000000001',
      releaseId: 7,
      recordCount: 809,
      digest,
      files,
      frozenAt: new Date(0),
    });
  });

  test.each([
    ['text instead of a message', Buffer.from('this is not an event')],
    ['an empty message', Buffer.alloc(0)],
    ['no job', encode({ jobId: '' })],
    ['no release', encode({ releaseId: 0 })],
    ['no digest', encode({ digest: '' })],
    ['no files', encode({ files: [] })],
    ['a file without a digest', encode({ files: [{ format: 'csv', bytes: 1, sha256: '' }] })],
    ['no time', encode({ frozenAt: undefined })],
  ])('is rejected with %s', (_, bytes) => {
    expect(() => decodeSnapshotFrozen(bytes)).toThrow();
  });
});
