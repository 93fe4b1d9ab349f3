import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { leaseStack } from '@esd/testing/leased-stack';
import { sharedStack } from '@esd/testing/shared-stack';
import type { TestStack } from '@esd/testing/stack';
import { verifyRelease } from '@esd/tools/verify-release';
import { createAdmin } from './support/admin.ts';
import { type Api, apiAt } from './support/api.ts';
import { FREEZE_MS, freezeRelease, submitRecords, untilTotal } from './support/dataset.ts';
import { expectError } from './support/errors.ts';
import { eventually } from '@esd/testing/eventually';
import { linkTargets } from './support/link-header.ts';
import { page, records } from './support/shapes.ts';
import { smallRecord, smallSubmission } from '@esd/testing/records';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const versionList = z.array(
  z.strictObject({
    id: z.int().min(1),
    versionIdentifier: z.string().startsWith('v'),
    datasetRevision: z.int().min(1),
    recordCount: z.int(),
    createdAt: z.iso.datetime(),
    doi: z.string().nullable(),
    license: z.string().nullable(),
    description: z.string().optional(),
    digest: sha256,
    files: z.array(z.strictObject({ format: z.string(), bytes: z.int().positive(), sha256 })),
  }),
);
const started = z.strictObject({ id: z.int(), versionIdentifier: z.string(), state: z.literal('BUILDING') });
const version = z.looseObject({ state: z.enum(['BUILDING', 'FROZEN', 'FAILED']), files: z.array(z.unknown()) });
const difference = z.strictObject({
  from: z.string(),
  to: z.string(),
  added: z.array(z.int()),
  removed: z.array(z.int()),
  changed: z.array(z.strictObject({ recordId: z.int(), fields: z.array(z.string()) })),
});

const demo = await sharedStack();

const list = async (api: Api) => versionList.parse((await api.get('/public/dataset/versions')).json);
const read = async (api: Api, path: string) => page.parse((await api.get(`/public/dataset/${path}`)).json);

describe('the release of the demo', () => {
  const api = apiAt(demo.url);

  test('is listed with its members', async () => {
    const versions = await list(api);
    expect(versions).toHaveLength(1);
    expect(versions[0]).toMatchObject({ id: 1, versionIdentifier: 'v1.0.0', recordCount: 809, doi: null });
    expect(versions[0]?.license).toBe('CC-BY-4.0');
    expect(versions[0]?.files.map(({ format }) => format).sort()).toEqual(['csv', 'json', 'parquet', 'xlsx', 'zip']);
    const first = await api.get('/public/dataset/versions');
    const tag = first.headers.get('etag') ?? '';
    expect((await api.get('/public/dataset/versions', { headers: { 'if-none-match': tag } })).status).toBe(304);
  });

  test('has the pages of the latest dataset, permanently', async () => {
    const latest = await read(api, 'latest?skip=100&limit=50');
    const frozen = await api.get('/public/dataset/v1.0.0?skip=100&limit=50');
    expect(frozen.json).toEqual({ ...latest, version: 'v1.0.0' });
    expect(frozen.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const tag = frozen.headers.get('etag') ?? '';
    const again = await api.get('/public/dataset/v1.0.0?skip=100&limit=50', { headers: { 'if-none-match': tag } });
    expect([again.status, again.text]).toEqual([304, '']);
    const next = linkTargets(frozen.headers.get('link')).get('next') ?? '';
    expect(new URL(next).pathname).toBe('/public/dataset/v1.0.0');
    expect(page.parse((await apiAt('').get(next)).json).data[0]?.recordId).toBe(151);
  });

  test('is filtered, and explains filters', async () => {
    const filter = encodeURIComponent('{"polymer":"PVDF","voltageMin":15}');
    const { data, total } = await read(api, `v1.0.0?limit=1000&filter=${filter}`);
    expect(data).toEqual((await read(api, `latest?limit=1000&filter=${filter}`)).data);
    expect(total).toBe(data.length);
    const explained = await api.get(`/public/dataset/v1.0.0?explain=true&filter=${filter}`);
    expect(explained.json).toMatchObject({ total, version: 'v1.0.0' });
  });

  test('is exported whole, by path and by parameter', async () => {
    const { text, json, headers } = await api.get('/public/dataset/v1.0.0/export?format=json');
    expect(records.parse(json)).toHaveLength(809);
    expect(headers.get('content-disposition')).toMatch(/filename="[\w.-]*v1\.0\.0\.json"/);
    const byParameter = await api.get('/public/dataset/export?format=json&version=v1.0.0');
    expect(byParameter.text).toBe(text);
    const filter = encodeURIComponent('{"polymer":"PVDF"}');
    const some = records.parse((await api.get(`/public/dataset/v1.0.0/export?format=json&filter=${filter}`)).json);
    expect(some.length).toBe((await read(api, `v1.0.0?filter=${filter}`)).total);
  });

  test('is intact: pages, records file and all files match the list', async () => {
    const lines: string[] = [];
    const say = (line: string) => lines.push(line);
    const { signal } = new AbortController();
    expect(await verifyRelease({ url: demo.url, version: 'v1.0.0', signal, say })).toBe(true);
    expect(lines.filter((line) => line.startsWith('ok '))).toHaveLength(13);
  });

  test('has the digest that the example in the documentation computes', async () => {
    const document = readFileSync(new URL('../docs/versions.md', import.meta.url), 'utf8');
    const [, code = ''] = /```python\n(.*?)```/s.exec(document) ?? [];
    const example = code.replace('http://localhost:8080', demo.url);
    expect(example).toContain(demo.url);
    const { stdout } = await promisify(execFile)('python3', ['-c', example], { timeout: 200_000 });
    expect(stdout.trim()).toBe((await list(api))[0]?.digest);
  });

  test('equals the latest dataset', async () => {
    const { json } = await api.get('/public/dataset/versions/v1.0.0/diff/latest');
    expect(json).toEqual({ from: 'v1.0.0', to: 'latest', added: [], removed: [], changed: [] });
  });

  test.each(['v9.9.9', 'v1.0', 'anything', '10.5281/zenodo.1', 'https%3A%2F%2Fdoi.org%2F10.5281%2Fzenodo.1'])(
    '%s is unknown, and the error lists the known versions',
    async (name) => {
      for (const path of [name, `${name}/export`, `versions/${encodeURIComponent(name)}/diff/latest`]) {
        expectError(await api.get(`/public/dataset/${path}`), 404, 'VERSION_NOT_FOUND', /v1\.0\.0/);
      }
      expectError(await api.get(`/public/dataset/export?version=${name}`), 404, 'VERSION_NOT_FOUND', /v1\.0\.0/);
    },
  );
});

describe('a new release', () => {
  let stack: TestStack;
  let api: Api;
  let admin: string;
  let ids: number[];
  beforeAll(async () => {
    stack = await leaseStack('fresh');
    api = apiAt(stack.url);
    ({ token: admin } = await createAdmin(api));
    ids = await publish(smallSubmission(3));
    await untilTotal(api, 3);
  });
  afterAll(() => stack.stop());

  async function publish(body: object): Promise<number[]> {
    const recordIds = await submitRecords(api, body, admin);
    await approve(recordIds);
    return recordIds;
  }

  async function approve(recordIds: number[]): Promise<void> {
    const answer = await api.post('/moderation/approve', { recordIds }, { bearer: admin });
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  }

  const start = (body: object) => api.post('/admin/versions', body, { bearer: admin });
  const isListed = async (identifier: string) =>
    (await list(api)).some(({ versionIdentifier }) => versionIdentifier === identifier);

  const freeze = (versionIdentifier: string, more: { description?: string } = {}) =>
    freezeRelease(api, { versionIdentifier, ...more }, admin);

  test('preserves its records while the dataset changes', async () => {
    const id = await freeze('v1.0.0', { description: 'The first.' });
    const before = await read(api, 'v1.0.0');
    const digest = (await list(api))[0]?.digest;
    expect(before.data.map(({ recordId }) => recordId)).toEqual(ids);
    const [first = 0] = ids;
    const edit = { ...smallRecord, processParameter: { voltage: 99, voltageUnit: 'kV' } };
    await api.put(`/data/update/${first}`, { experimentData: [edit] }, { bearer: admin });
    await approve([first]);
    const [added = 0] = await publish(smallSubmission(1));
    await untilTotal(api, 4);
    expect(await read(api, 'v1.0.0')).toEqual(before);
    expect((await list(api))[0]).toMatchObject({ id, recordCount: 3, digest });
    const high = encodeURIComponent('{"voltageMin":50}');
    expect((await read(api, `v1.0.0?filter=${high}`)).total).toBe(0);
    expect((await read(api, `latest?filter=${high}`)).total).toBe(1);

    const changed = [{ recordId: first, fields: ['processParameter.voltage'] }];
    const diff = async (from: string, to: string) =>
      difference.parse((await api.get(`/public/dataset/versions/${from}/diff/${to}`)).json);
    expect(await diff('v1.0.0', 'latest')).toMatchObject({ added: [added], removed: [], changed });
    await freeze('v1.1.0');
    expect(await diff('v1.0.0', 'v1.1.0')).toMatchObject({ added: [added], removed: [], changed });
    expect(await diff('v1.1.0', 'v1.0.0')).toMatchObject({ added: [], removed: [added], changed });
    expect((await list(api)).map(({ versionIdentifier }) => versionIdentifier)).toEqual(['v1.1.0', 'v1.0.0']);
  });

  test('is found by its DOI in every spelling, also if the DOI is added later', async () => {
    const [newest] = await list(api);
    if (!newest) throw new Error('there is no release');
    const { id, digest } = newest;
    const change = (body: object) => api.patch(`/admin/versions/${id}`, body, { bearer: admin });
    const doi = 'https://doi.org/10.5281/ZENODO.42';
    expect((await change({ doi, license: 'CC0-1.0', description: null })).status).toBe(200);
    expect((await list(api))[0]).toMatchObject({ id, digest, doi: '10.5281/zenodo.42', license: 'CC0-1.0' });
    const whole = await read(api, 'v1.1.0');
    const exported = (await api.get('/public/dataset/v1.1.0/export?format=csv')).text;
    for (const name of [
      '10.5281/zenodo.42',
      '10.5281%2Fzenodo.42',
      'doi:10.5281/Zenodo.42',
      'https://doi.org/10.5281/zenodo.42',
      'https:/doi.org/10.5281/zenodo.42',
      'https%3A%2F%2Fdoi.org%2F10.5281%2Fzenodo.42',
    ]) {
      expect([name, await read(api, name)]).toEqual([name, whole]);
      expect((await read(api, `${name}?skip=1&limit=2`)).data).toEqual(whole.data.slice(1, 3));
      expect((await api.get(`/public/dataset/${name}/export?format=csv`)).text).toBe(exported);
      const byParameter = `/public/dataset/export?format=csv&version=${encodeURIComponent(decodeURIComponent(name))}`;
      if (!name.startsWith('https:/doi')) expect((await api.get(byParameter)).text).toBe(exported);
    }
    const other = (await list(api))[1]?.id ?? 0;
    const taken = await api.patch(`/admin/versions/${other}`, { doi }, { bearer: admin });
    expectError(taken, 409, 'CONFLICT', /v1\.1\.0/);
    expectError(await change({ doi: 'none' }), 400, 'INVALID_REQUEST', /"none"/);
    expectError(await change({ recordCount: 1 }), 400, 'VALIDATION_FAILED');
    expectError(await api.patch('/admin/versions/999', {}, { bearer: admin }), 404, 'VERSION_NOT_FOUND');
    expect((await change({ doi: null })).json).toMatchObject({ doi: null, state: 'FROZEN' });
    expectError(await api.get('/public/dataset/10.5281/zenodo.42'), 404, 'VERSION_NOT_FOUND');
    const later = await api.patch(`/admin/versions/${other}`, { doi }, { bearer: admin });
    expectError(later, 409, 'CONFLICT', /belonged to the release v1\.1\.0/);
    expectError(await start({ versionIdentifier: 'v9.0.0', doi }), 409, 'CONFLICT', /belonged to the release v1\.1\.0/);
    expectError(await change({ doi: '10.5281/zenodo/facets' }), 400, 'INVALID_REQUEST', /ends like a path/);
  });

  test('is frozen once if many request the same identifier simultaneously', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => start({ versionIdentifier: 'v2.0.0-rc.1' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409, 409, 409, 409]);
    for (const answer of answers.filter(({ status }) => status === 409)) expectError(answer, 409, 'CONFLICT');
    await eventually(
      () => isListed('v2.0.0-rc.1'),
      (listed) => listed,
      FREEZE_MS,
    );
    expectError(await start({ versionIdentifier: 'v2.0.0-rc.1' }), 409, 'CONFLICT');
  });

  test.each([
    { versionIdentifier: '2.0.0' },
    { versionIdentifier: 'v2' },
    { versionIdentifier: 'v3.0.0', doi: 'x' },
    { versionIdentifier: 'v3.0.0', doi: '10.5281/z/records/1' },
  ])('%j is rejected', async (body) => {
    expectError(await start(body), 400, 'INVALID_REQUEST');
  });

  test('can be read by its id while it is frozen', async () => {
    const { id } = started.parse((await start({ versionIdentifier: 'v2.1.0' })).json);
    const seen = await eventually(
      async () => version.parse((await api.get(`/admin/versions/${id}`, { bearer: admin })).json),
      ({ state }) => state !== 'BUILDING',
      FREEZE_MS,
    );
    expect([seen.state, seen.files.length]).toEqual(['FROZEN', 5]);
  });
});
