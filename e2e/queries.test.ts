import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { leaseStack } from '@esd/testing/leased-stack';
import { recordAt } from '@esd/testing/records';
import { sharedStack } from '@esd/testing/shared-stack';
import type { TestStack } from '@esd/testing/stack';
import { verifyQuery } from '@esd/tools/verify-query';
import { newAdmin } from './support/admin.ts';
import { type Answer, type Api, apiAt } from './support/api.ts';
import { query as sql } from './support/database.ts';
import { approveRecords, freezeRelease, publishRecords } from './support/dataset.ts';
import { download } from './support/download.ts';
import { expectError } from './support/errors.ts';
import { eventually } from '@esd/testing/eventually';
import { linkTargets } from './support/link-header.ts';
import { page, substanceEntry } from './support/shapes.ts';

const { url } = await sharedStack();
const demo = apiAt(url);

const publicQuery = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{32}$/),
  filter: z.record(z.string(), z.unknown()),
  sort: z.string().optional(),
  fields: z.string().optional(),
  version: z.string(),
  datasetRevision: z.int().min(1),
  recordCount: z.int().min(0),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  digestMethod: z.literal('rows-v1'),
  createdAt: z.iso.datetime(),
  url: z.url(),
});
const partPage = page.extend({ data: z.array(z.looseObject({ recordId: z.int() })) });

const ask = (api: Api, body: object, bearer?: string): Promise<Answer> =>
  api.post('/public/queries', body, bearer === undefined ? {} : { bearer });

async function made(api: Api, body: object, bearer?: string) {
  const answer = await ask(api, body, bearer);
  expect([[200, 201].includes(answer.status), answer.text]).toEqual([true, expect.any(String)]);
  return publicQuery.parse(answer.json);
}

const FILTER = { polymer: 'PVDF', voltageMin: 15 };
const IMMUTABLE = 'public, max-age=31536000, immutable';

describe('a query of the demo', () => {
  test('stores the matching records, and is the same query for the same filter', async () => {
    const found = page.parse(
      (await demo.get(`/public/dataset?limit=1000&sort=-voltage&filter=${JSON.stringify(FILTER)}`)).json,
    );
    const query = await made(demo, { filter: FILTER, sort: '-voltage' });
    expect(query).toMatchObject({ filter: FILTER, sort: '-voltage', version: 'latest', recordCount: found.total });
    expect(query).not.toHaveProperty('fields');
    expect(query.url).toBe(`${url}/public/queries/${query.id}`);
    const again = await ask(demo, { sort: '-voltage', filter: { voltageMin: '15.0', polymer: ' pvdf ' } });
    expect([again.status, publicQuery.parse(again.json).id]).toEqual([200, query.id]);
    expect(again.headers.get('location')).toBe(query.url);
    const ofRelease = await made(demo, { filter: FILTER, sort: '-voltage', version: 'v1.0.0' });
    expect(ofRelease.id).toBe(query.id);

    const answer = await apiAt('').get(query.url);
    expect([answer.status, answer.json]).toEqual([200, query]);
    expect(answer.headers.get('cache-control')).toBe(IMMUTABLE);
    expect(answer.headers.get('esd-dataset-revision')).toBe(String(query.datasetRevision));
    const conditional = { headers: { 'if-none-match': answer.headers.get('etag') ?? '' } };
    expect((await apiAt('').get(query.url, conditional)).status).toBe(304);
    const underApi = await demo.get(`/api/public/queries/${query.id}`);
    expect(underApi.json).toEqual({ ...query, url: `${url}/api/public/queries/${query.id}` });

    const whole = await demo.get(`/public/queries/${query.id}/records?limit=1000`);
    expect(whole.json).toEqual({ ...found, version: `query-${query.id}` });
    expect(whole.headers.get('cache-control')).toBe(IMMUTABLE);
    const part = await demo.get(`/public/queries/${query.id}/records?skip=10&limit=5`);
    expect(page.parse(part.json).data).toEqual(found.data.slice(10, 15));
    const next = new URL(linkTargets(part.headers.get('link')).get('next') ?? '');
    expect([next.pathname, next.search]).toEqual([`/public/queries/${query.id}/records`, '?skip=15&limit=5']);
    const tag = { headers: { 'if-none-match': part.headers.get('etag') ?? '' } };
    expect((await demo.get(`/public/queries/${query.id}/records?skip=10&limit=5`, tag)).status).toBe(304);
    expect((await demo.head(`/public/queries/${query.id}/records`)).status).toBe(200);
  });

  test('is available as files, in its order', async () => {
    const { id, datasetRevision } = await made(demo, { filter: FILTER, sort: '-voltage' });
    const { data } = page.parse((await demo.get(`/public/queries/${id}/records?limit=1000`)).json);
    const json = await demo.get(`/public/queries/${id}/export?format=json`);
    expect(json.json).toEqual(data);
    expect(json.headers.get('content-disposition')).toContain(`electrospinning-dataset-query-${id}-filtered.json`);
    const csv = await demo.get(`/public/queries/${id}/export?format=csv`);
    const ids = csv.text
      .trimEnd()
      .split('\r\n')
      .slice(1)
      .map((line) => /^[^,]*,(\d+),/.exec(line)?.[1]);
    expect(ids).toEqual(data.map(({ recordId }) => String(recordId)));
    for (const format of ['xlsx', 'parquet', 'zip']) {
      const { status, headers } = await download(`${url}/public/queries/${id}/export?format=${format}`);
      expect([format, status, headers.get('cache-control')]).toEqual([format, 200, IMMUTABLE]);
      expect(headers.get('esd-dataset-revision')).toBe(String(datasetRevision));
    }
  });

  test('accepts a filter that is too long for a URL, with up to 2,000 values', async () => {
    const names = Array.from({ length: 1_998 }, (_, at) => `no such polymer ${at} ${'x'.repeat(80)}`);
    const polymer = (...more: string[]) => `=${[...names, ...more].join('|')}`;
    const query = await made(demo, { filter: { polymer: polymer('PVDF', 'PVA') } });
    const few = await made(demo, { filter: { polymer: '=PVDF|PVA' } });
    expect([query.recordCount, query.digest]).toEqual([few.recordCount, few.digest]);
    expect(page.parse((await demo.get(`/public/queries/${query.id}/records?limit=1`)).json).total).toBe(
      query.recordCount,
    );
    expect((await demo.get(`/public/queries/${query.id}/export?format=json`)).status).toBe(200);
    const html = await (await fetch(`${url}/query/${query.id}`)).text();
    expect([html.includes('characters. The query itself contains it'), html.includes('no such polymer 999 ')]).toEqual([
      true,
      false,
    ]);
    const some = await made(demo, { filter: { polymer: `=PVDF|${names.slice(0, 20).join('|')}` } });
    const folded = await (await fetch(`${url}/query/${some.id}`)).text();
    expect(folded).toMatch(/<summary>PVDF or no such polymer 0 [^<]{300,}…<\/summary>/);
    const { message } = expectError(
      await ask(demo, { filter: { polymer: polymer('PVDF', 'PVA', 'PLA') } }),
      400,
      'VALIDATION_FAILED',
    );
    expect(message).toBe('The body has a problem.');
    const inUrl = `/public/dataset?filter=${encodeURIComponent(JSON.stringify({ polymer: 'x'.repeat(5_000) }))}`;
    expectError(await demo.get(inUrl), 400, 'INVALID_FILTER', /POST \/public\/queries/);
  });

  test('returns selected fields, and whole records where its digest is checked', async () => {
    const query = await made(demo, { fields: 'fiberProperty,processParameter.voltage,fiberProperty.fiberDiameter' });
    expect(query).toMatchObject({ filter: {}, fields: 'processParameter.voltage,fiberProperty', recordCount: 809 });
    const fields = `fields=${query.fields}`;
    const expected = partPage.parse((await demo.get(`/public/dataset?limit=1000&${fields}`)).json).data;
    const records = `/public/queries/${query.id}/records?limit=1000`;
    expect(partPage.parse((await demo.get(records)).json).data).toEqual(expected);
    const whole = page.parse((await demo.get('/public/dataset/v1.0.0?limit=1000')).json).data;
    expect(page.parse((await demo.get(`${records}&whole=true`)).json).data).toEqual(whole);
    expect((await demo.get(`/public/queries/${query.id}/export?format=json`)).json).toEqual(expected);
    for (const format of ['csv', 'xlsx', 'parquet', 'zip']) {
      const answer = await demo.get(`/public/queries/${query.id}/export?format=${format}`);
      expectError(answer, 400, 'INVALID_PARAMETER', /`fields`/);
    }
    const all = await made(demo, {});
    expect([all.digest === query.digest, all.id === query.id]).toEqual([true, false]);
  });

  test('can be verified with the command and with the example in the documentation', async () => {
    const query = await made(demo, { filter: FILTER, sort: '-voltage' });
    const signal = new AbortController().signal;
    const lines: string[] = [];
    const say = (line: string) => lines.push(line);
    expect(await verifyQuery({ url, query: query.id, signal, say })).toBe(true);
    expect(lines.filter((line) => line.startsWith('ok '))).toHaveLength(4);
    const withMembers = await made(demo, { fields: 'recordId', sort: '-fiberDiameter' });
    expect(await verifyQuery({ url, query: withMembers.id, signal, say })).toBe(true);
    await expect(verifyQuery({ url, query: 'none', signal, say })).rejects.toThrow(/QUERY_NOT_FOUND|no query/);

    const document = readFileSync(new URL('../docs/explore.md', import.meta.url), 'utf8');
    const [, code = ''] = /```python\n(.*?)```/s.exec(document) ?? [];
    const example = code.replace(/http:\/\/localhost:8080\/public\/queries\/[^"]*/, query.url);
    expect(example).toContain(query.url);
    const { stdout } = await promisify(execFile)('python3', ['-c', example], { timeout: 200_000 });
    expect(stdout.trim()).toBe(query.digest);
  });

  test('that is unknown returns 404', async () => {
    for (const id of ['0'.repeat(32), 'none', '1', 'x'.repeat(300), '%00', '0'.repeat(31) + 'A']) {
      for (const path of ['', '/records', '/export?format=json']) {
        const answer = await demo.get(`/public/queries/${id}${path}`);
        if (id === '%00') expect([400, 404]).toContain(answer.status);
        else expectError(answer, 404, 'QUERY_NOT_FOUND');
      }
    }
    expectError(await ask(demo, { version: 'v9.9.9' }), 404, 'VERSION_NOT_FOUND', /v1\.0\.0/);
    expectError(await demo.get(`/public/queries/${'0'.repeat(32)}?skip=1`), 400, 'INVALID_PARAMETER');
  });

  test('that is invalid is rejected with all problems', async () => {
    const answer = await ask(demo, {
      filter: { voltagMin: 1 },
      sort: 'voltag',
      fields: 'voltage',
      version: 7,
      more: 1,
    });
    const { errors } = expectError(answer, 400, 'VALIDATION_FAILED');
    expect(errors?.map(({ path }) => path).sort()).toEqual(['fields', 'filter', 'more', 'sort', 'version']);
    const messages = errors?.map(({ message }) => message).join('\n');
    for (const near of [/`filter`.*voltageMin/, /`sort`.*"voltage"/, /`fields`.*"processParameter\.voltage"/]) {
      expect(messages).toMatch(near);
    }
    for (const body of [{ filter: [] }, { filter: 'x' }, { sort: ['voltage'] }, { filter: { polymer: null } }]) {
      expectError(await ask(demo, body), 400, 'VALIDATION_FAILED');
    }
    expectError(
      await demo.post('/public/queries', '[]', { headers: { 'content-type': 'application/json' } }),
      400,
      'VALIDATION_FAILED',
    );
    expectError(
      await demo.post('/public/queries', '{', { headers: { 'content-type': 'application/json' } }),
      400,
      'INVALID_REQUEST',
    );
  });
});

describe('where records and lists change', () => {
  let stack: TestStack;
  let api: Api;
  let admin: string;
  beforeAll(async () => {
    stack = await leaseStack('moderated');
    api = apiAt(stack.url);
    ({ token: admin } = await newAdmin(stack, api));
  });
  afterAll(() => stack.stop());

  const publish = async (body: object): Promise<number> =>
    (await publishRecords(api, { experimentData: [body] }, admin, admin))[0] ?? 0;

  test('a query returns the same bytes after changes of records, lists and rules', async () => {
    const name = `Queried ${randomUUID().replaceAll('-', '_')}`;
    const listed = await api.post('/metadata/polymers', { name, kind: 'polymer' }, { bearer: admin });
    expect([listed.status, listed.text]).toEqual([201, expect.any(String)]);
    const entry = substanceEntry.parse(listed.json);
    const ids: number[] = [];
    for (const voltage of [10, 30, 20]) ids.push(await publish(recordAt(voltage, name)));
    const [first = 0, second = 0, third = 0] = ids;
    const body = { filter: { polymer: name, voltageMax: 40 }, sort: '-voltage' };
    const query = await made(api, body, admin);
    const at = `/public/queries/${query.id}`;
    const bytesOf = async (): Promise<string[]> => {
      const read: string[] = [];
      for (const path of [
        '',
        '/records',
        '/export?format=json',
        '/export?format=csv',
        '/export?format=xlsx',
        '/export?format=parquet',
      ]) {
        const { status, bytes } = await download(`${stack.url}${at}${path}`);
        read.push(`${status} ${bytes.toString('base64')}`);
      }
      return read;
    };
    const before = await bytesOf();
    expect(before.every((text) => text.startsWith('200 '))).toBe(true);
    const records = page.parse((await api.get(`${at}/records`)).json).data;
    expect(records.map(({ recordId }) => recordId)).toEqual([second, third, first]);

    const renamed = `${name} renamed`;
    const change = await api.put(
      `/metadata/polymers/${entry.id}`,
      { ...entry, name: renamed, aliases: [] },
      { bearer: admin },
    );
    expect([change.status, change.text]).toEqual([200, expect.any(String)]);
    for (const [recordId, voltage] of [
      [first, 90],
      [second, 15],
    ] as const) {
      const update = { experimentData: [recordAt(voltage, renamed)] };
      const answer = await api.put(`/data/update/${recordId}`, update, { bearer: admin });
      expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    }
    await approveRecords(api, [first, second], admin);
    const added = await publish(recordAt(25, renamed));
    const asNow = async () => {
      const filter = encodeURIComponent(JSON.stringify({ polymer: renamed, voltageMax: 40 }));
      const found = await api.get(`/public/dataset?filter=${filter}&sort=-voltage`);
      return page.parse(found.json).data.map(({ recordId }) => recordId);
    };
    await eventually(asNow, (now) => now.join() === [added, third, second].join(), 60_000);
    await freezeRelease(api, { versionIdentifier: `v${query.datasetRevision}.0.0-q` }, admin);

    // No byte may come from a cache or a built file.
    await sql(stack.databaseUrl('esd_export'), 'delete from built_file', []);
    await stack.restart('dataset-svc');
    await stack.restart('gateway');
    expect(await bytesOf()).toEqual(before);
    for (const [skip, record] of records.entries()) {
      expect(page.parse((await api.get(`${at}/records?limit=1&skip=${skip}`)).json).data).toEqual([record]);
    }
    const say = (): void => undefined;
    expect(await verifyQuery({ url: stack.url, query: query.id, signal: new AbortController().signal, say })).toBe(
      true,
    );
    const later = await made(api, { ...body, filter: { polymer: renamed, voltageMax: 40 } }, admin);
    expect(later.id).not.toBe(query.id);
    expect(later.datasetRevision).toBeGreaterThan(query.datasetRevision);
  });
});
