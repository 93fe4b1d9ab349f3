import { beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { sharedStack } from '@esd/testing/shared-stack';
import { apiAt } from './support/api.ts';
import { demoContributor, login } from './support/admin.ts';
import { readDemo } from './support/demo.ts';
import { expectError } from './support/errors.ts';
import { imageForm } from './support/images.ts';

const stack = await sharedStack();
const api = apiAt(stack.url);

let session: string;
beforeAll(async () => {
  session = await login(api, demoContributor(stack.dataDir));
});

const items = z.array(z.looseObject({ recordId: z.int().optional() }));

async function bytesOf(path: string): Promise<Buffer> {
  const answer = await fetch(stack.url + path, { signal: AbortSignal.timeout(120_000) });
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
}

function parse(file: Buffer | string, bearer = session, base = '') {
  const { body, headers } = imageForm(Buffer.from(file));
  return api.post(`${base}/data/parse-excel`, body, { headers, bearer, timeoutMs: 120_000 });
}

describe('an exported file', () => {
  test.each(['xlsx', 'csv'])('as %s returns the same 809 records', async (format) => {
    const answer = await parse(await bytesOf(`/public/dataset/export?format=${format}`));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const records = items.parse(answer.json);
    expect(records.map(({ recordId, ...data }) => ({ recordId, experimentId: recordId, ...data }))).toEqual(
      readDemo().records,
    );
  });

  test('can be submitted unchanged after it was read', async () => {
    const { json } = await parse(await bytesOf('/public/dataset/export?format=xlsx'));
    const check = await api.post(
      '/data/submit?validate=only',
      { experimentData: json },
      { bearer: session, timeoutMs: 120_000 },
    );
    expect(check.status).toBe(200);
    expect(check.json).toMatchObject({ valid: true });
  });
});

test('all problems of a sheet have their cells and a correction', async () => {
  const body = expectError(
    await parse('polymer(s),voltage,voltge\nPCLX,"12,5",\nPVA,15 kV,\n'),
    400,
    'VALIDATION_FAILED',
  );
  expect(body.errorCount).toBe(3);
  expect(body.errors?.map(({ path, code, message }) => [path, code, message])).toEqual([
    ['C1', 'UNKNOWN_MEMBER', 'Unknown column "voltge"; nearest: voltage.'],
    ['B2', 'WRONG_TYPE', expect.stringContaining('12.5')],
    ['A2', 'UNKNOWN_POLYMER', expect.stringContaining('"PCL"')],
  ]);
});

test('a personal access token can read a sheet, also under the base /api', async () => {
  const created = await api.post('/auth/tokens', { name: 'of sheets', expiresInDays: 30 }, { bearer: session });
  const { token } = z.object({ token: z.string() }).parse(created.json);
  const answer = await parse('voltage\n15 kV', token, '/api');
  expect([answer.status, answer.json]).toEqual([200, [{ processParameter: { voltage: 15, voltageUnit: 'kV' } }]]);
});

describe('a bad upload', () => {
  test('is rejected with the common error body', async () => {
    const { body, headers } = imageForm(Buffer.from('voltage\n1'));
    expectError(await api.post('/data/parse-excel', body, { headers }), 401, 'AUTH_REQUIRED');
    expectError(await parse('voltage\n1', 'not-a-token'), 401, 'TOKEN_INVALID');
    expectError(await api.post('/data/parse-excel', {}, { bearer: session }), 415, 'UNSUPPORTED_MEDIA_TYPE');
    expectError(await parse(''), 400, 'INVALID_REQUEST', /empty/);
    expectError(await parse(Buffer.from('\x89PNG\r\n\x1a\n\0', 'latin1')), 415, 'UNSUPPORTED_MEDIA_TYPE', /\.xlsx/);
    expectError(await parse(Buffer.from('PK\x03\x04 and no more')), 400, 'INVALID_REQUEST', /damaged/);
    expectError(await parse(Buffer.alloc(50_000_000)), 413, 'PAYLOAD_TOO_LARGE');
    expectError(await api.get('/data/parse-excel', { bearer: session }), 405, 'METHOD_NOT_ALLOWED');
  });
});

describe('GET /data/template.xlsx', () => {
  test('is a workbook without an account, and returns 304 for its tag', async () => {
    for (const base of ['', '/api']) {
      const answer = await api.get(`${base}/data/template.xlsx`, { bearer: 'not-a-token' });
      expect([answer.status, answer.text.slice(0, 4)]).toEqual([200, 'PK\x03\x04']);
      expect(answer.headers.get('content-disposition')).toBe(
        'attachment; filename="electrospinning-dataset-template.xlsx"',
      );
      const etag = answer.headers.get('etag') ?? '';
      expect(etag).toMatch(/^"[^"]+"$/);
      const again = await api.get(`${base}/data/template.xlsx`, { headers: { 'if-none-match': etag } });
      expect([again.status, again.text]).toEqual([304, '']);
    }
  });

  test('contains no records', async () => {
    const template = await bytesOf('/data/template.xlsx');
    const body = expectError(await parse(template), 400, 'VALIDATION_FAILED');
    expect(body.errors).toMatchObject([{ path: 'Data!1:1', code: 'MISSING_VALUE' }]);
  });
});

test('with cells=true, the cells are returned unchanged, so that a client can correct them', async () => {
  const { body, headers } = imageForm(Buffer.from('polymer(s),voltage\nPVAX,"12,5"\n\nPVA,15\n'));
  const answer = await api.post('/data/parse-excel?cells=true', body, { headers, bearer: session });
  expect([answer.status, answer.json]).toEqual([
    200,
    {
      rows: [
        { number: 1, cells: ['polymer(s)', 'voltage'] },
        { number: 2, cells: ['PVAX', '12,5'] },
        { number: 4, cells: ['PVA', '15'] },
      ],
      more: 0,
    },
  ]);
  const wrong = await api.post('/data/parse-excel?cells=yes', body, { headers, bearer: session });
  expectError(wrong, 400, 'INVALID_PARAMETER');
  const workbook = imageForm(await bytesOf('/public/dataset/export?format=xlsx'));
  const cells = await api.post('/data/parse-excel?cells=true', workbook.body, {
    headers: workbook.headers,
    bearer: session,
  });
  const { rows } = z.object({ rows: z.array(z.object({ cells: z.array(z.string()) })) }).parse(cells.json);
  expect(rows.length).toBe(810);
  expect(rows[0]?.cells.slice(0, 3)).toEqual(['doi', 'experiment_id', 'is_polymer_blend']);
});
