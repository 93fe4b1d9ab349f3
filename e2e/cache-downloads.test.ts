import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { leaseStack } from '@esd/testing/leased-stack';
import type { TestStack } from '@esd/testing/stack';
import { newAdmin } from './support/admin.ts';
import { type Api, apiAt } from './support/api.ts';
import { freezeRelease, readAll, submitRecords, untilPublic } from './support/dataset.ts';
import { download } from './support/download.ts';
import { expectError } from './support/errors.ts';
import { eventually } from '@esd/testing/eventually';
import { records } from './support/shapes.ts';
import { smallSubmission } from '@esd/testing/records';

const usage = z.strictObject({
  version: z.string().nullable(),
  from: z.iso.date(),
  to: z.iso.date(),
  views: z.int(),
  downloads: z.int(),
  days: z.array(
    z.strictObject({ date: z.iso.date(), views: z.int(), downloads: z.record(z.string(), z.int().positive()) }),
  ),
});
const stats = z.strictObject({ views: z.int(), downloads: z.int() });
const versionList = z.array(
  z.looseObject({
    id: z.int(),
    versionIdentifier: z.string(),
    files: z.array(z.looseObject({ format: z.string(), sha256: z.string() })),
  }),
);

let stack: TestStack;
let api: Api;
let bearer: string;
beforeAll(async () => {
  stack = await leaseStack('moderated');
  api = apiAt(stack.url);
  ({ token: bearer } = await newAdmin(stack, api));
  const recordIds = await submitRecords(api, smallSubmission(3));
  expect((await api.post('/moderation/approve', { recordIds }, { bearer })).status).toBe(200);
  await untilPublic(api, recordIds);
});
afterAll(() => stack.stop());

const count = async (): Promise<number> => z.int().parse((await api.get('/cache/download/count')).json);
/** Returns the status of a response and the number of downloads counted for it. Waits until at least `expected` are counted. */
async function counted(ask: () => Promise<{ status: number }>, expected: number): Promise<[number, number]> {
  const before = await count();
  const { status } = await ask();
  // The service counts a moment after the response has ended. The count of a later download shows that it is done.
  await api.get('/public/dataset/export?format=csv');
  const after = await eventually(count, (total) => total > before + expected);
  return [status, after - before - 1];
}

describe('counting downloads', () => {
  const EXCEL = '/cache/download/excel';

  test.each<[string, string, Record<string, string>, number, number]>([
    ['a whole file', EXCEL, {}, 200, 1],
    ['a whole archive', '/cache/download/images', {}, 200, 1],
    ['json without logDownload', '/cache/download/json', {}, 200, 0],
    ['json with logDownload=false', '/cache/download/json?logDownload=false', {}, 200, 0],
    ['json with logDownload=true', '/cache/download/json?logDownload=true', {}, 200, 1],
    ['an export', '/public/dataset/export?format=csv', {}, 200, 1],
    ['an unsatisfiable range', EXCEL, { range: 'bytes=99999999-' }, 416, 0],
    ['a rejected request', '/cache/download/json?logDownload=yes', {}, 400, 0],
  ])('%s', async (_, path, headers, status, downloads) => {
    expect(await counted(() => api.get(path, { headers }), downloads)).toEqual([status, downloads]);
  });
});

test('json is the whole latest dataset', async () => {
  const answer = await api.get('/cache/download/json');
  expect(records.parse(answer.json)).toEqual(await readAll(api));
  expect(answer.headers.get('content-disposition')).toMatch(/latest.*\.json"$/);
});

test('a view is counted with any small body', async () => {
  const before = stats.parse((await api.get('/analytics/stats')).json);
  for (const body of ['', '{}', '{"page":"/dataset","recordId":7}', '{"something":"else"}']) {
    const headers: Record<string, string> = body === '' ? {} : { 'content-type': 'application/json' };
    const answer = await api.post('/analytics/view', body, { headers });
    expect([answer.status, answer.json]).toEqual([202, { success: true, message: expect.any(String) }]);
  }
  expectError(await api.post('/analytics/view', { page: 'x'.repeat(2_100) }), 413, 'PAYLOAD_TOO_LARGE');
  expectError(await api.post('/analytics/view', { page: 7 }), 400, 'VALIDATION_FAILED');
  const after = stats.parse((await api.get('/analytics/stats')).json);
  expect(after).toEqual({ views: before.views + 4, downloads: before.downloads });
});

test('no count is lost when the service stops', async () => {
  const before = stats.parse((await api.get('/analytics/stats')).json);
  await Promise.all(Array.from({ length: 100 }, () => api.post('/analytics/view', {})));
  await stack.restart('export-svc');
  await eventually(
    () => api.get('/analytics/stats'),
    ({ status }) => status === 200,
  );
  const after = stats.parse((await api.get('/analytics/stats')).json);
  expect(after.views).toBe(before.views + 100);
});

describe('the files of a release', () => {
  let id: number;
  beforeAll(async () => {
    id = await freezeRelease(api, { versionIdentifier: 'v9.0.0' }, bearer);
  });

  test.each([
    ['excel', 'xlsx'],
    ['images', 'zip'],
  ])('%s by the id of the release is the stored file', async (kind, format) => {
    const { headers, bytes } = await download(`${stack.url}/cache/download/${kind}/${id}`);
    const sha256 = Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex');
    const list = versionList.parse((await api.get('/cache/download/versions')).json);
    const stored = list.find((version) => version.id === id)?.files.find((file) => file.format === format);
    expect(stored?.sha256).toBe(sha256);
    expect(headers.get('etag')).toBe(`"${sha256}"`);
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(headers.get('content-disposition')).toMatch(new RegExp(`v9\\.0\\.0.*\\.${format}"$`));
  });

  test('an unknown id returns 404 with the known versions', async () => {
    for (const kind of ['excel', 'images']) {
      expectError(await api.get(`/cache/download/${kind}/999`), 404, 'VERSION_NOT_FOUND', /v9\.0\.0/);
      expectError(await api.get(`/cache/download/${kind}/x`), 400, 'INVALID_PARAMETER');
    }
  });

  test('views and downloads are counted by release, format and day', async () => {
    const usageOf = async (version: string) => usage.parse((await api.get(`/analytics/usage?version=${version}`)).json);
    // Another day may begin between two responses.
    const downloadsOf = (format: string, { days }: z.output<typeof usage>): number =>
      days.reduce((sum, { downloads }) => sum + (downloads[format] ?? 0), 0);
    const [before, latest] = [await usageOf('v9.0.0'), await usageOf('latest')];
    for (const body of [
      { version: 'v9.0.0' },
      { version: 'v9.0.0', recordId: 1 },
      { version: 'v0.9.9' },
      { recordId: 1 },
    ]) {
      expect((await api.post('/analytics/view', body)).status).toBe(202);
    }
    const of = '/public/dataset/v9.0.0/export';
    const query = await api.post('/public/queries', { version: 'v9.0.0', filter: {} });
    const { id: queryId } = z.object({ id: z.string() }).parse(query.json);
    const reads: [path: string, headers?: Record<string, string>][] = [
      [`/cache/download/excel/${id}`, { range: 'bytes=0-10' }],
      [`/cache/download/excel/${id}`],
      [`${of}?format=csv`],
      [`${of}?format=csv&filter={"voltageMin":1}`],
      [`/public/queries/${queryId}/export?format=csv`],
      ['/public/dataset/export?format=csv'],
    ];
    for (const [path, headers = {}] of reads) expect((await api.get(path, { headers })).status).toBeLessThan(300);
    const after = await eventually(
      () => usageOf('v9.0.0'),
      ({ downloads }) => downloads >= before.downloads + 4,
    );
    expect(after.views - before.views).toBe(2);
    expect(['xlsx', 'csv'].map((format) => downloadsOf(format, after) - downloadsOf(format, before))).toEqual([1, 3]);
    const now = await eventually(
      () => usageOf('latest'),
      ({ downloads }) => downloads > latest.downloads,
    );
    expect([now.views, now.downloads]).toEqual([latest.views + 1, latest.downloads + 1]);
    const all = usage.parse((await api.get('/analytics/usage')).json);
    expect(all.version).toBeNull();
    expect(all.views).toBeGreaterThanOrEqual(after.views + now.views);
    expect((Date.parse(all.to) - Date.parse(all.from)) / 86_400_000).toBe(29);
    const past = await api.get('/analytics/usage?from=2024-01-01&to=2024-12-31&version=latest');
    expect(past.json).toEqual({
      ...{ version: 'latest', from: '2024-01-01', to: '2024-12-31' },
      ...{ views: 0, downloads: 0, days: [] },
    });
  });

  test.each<[string, number, string, RegExp]>([
    ['version=v0.9.9', 404, 'VERSION_NOT_FOUND', /v9\.0\.0/],
    ['from=2024-01-01&to=2025-01-01', 400, 'INVALID_PARAMETER', /367 days; request at most 366/],
    ['from=2024-02-02&to=2024-02-01', 400, 'INVALID_PARAMETER', /2024-02-02/],
    ['from=2024-02-30', 400, 'INVALID_PARAMETER', /from/],
    ['from=0000-01-01&to=0000-01-02', 400, 'INVALID_PARAMETER', /2000-01-01/],
    ['day=2024-01-01', 400, 'INVALID_PARAMETER', /day/],
  ])('usage of %s is rejected', async (search, status, code, message) => {
    expectError(await api.get(`/analytics/usage?${search}`), status, code, message);
  });

  test('an unfiltered json of a release equals the stream of that state', async () => {
    const [stored, streamed] = await Promise.all([
      api.get('/public/dataset/v9.0.0/export?format=json'),
      api.get('/public/dataset/export?format=json'),
    ]);
    expect(stored.text === streamed.text).toBe(true);
  });
});
