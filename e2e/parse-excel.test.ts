import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import exceljs from 'exceljs';
import { z } from 'zod';
import { sharedStack } from '@esd/testing/shared-stack';
import { readTextSheet } from '../libs/record/test/sheet/grids.ts';
import { apiAt } from './support/api.ts';
import { newContributor } from './support/accounts.ts';
import { download } from './support/download.ts';
import { readDemo } from './support/demo.ts';
import { expectError } from './support/errors.ts';
import { imageForm } from './support/images.ts';

const stack = await sharedStack();
const api = apiAt(stack.url);

let session: string;
beforeAll(async () => {
  ({ token: session } = await newContributor(api, stack.dataDir));
});

/** The sheets of the tests of the reader. */
const sheetFolder = new URL('../libs/record/test/sheet/sheets/', import.meta.url);

const items = z.array(z.looseObject({ recordId: z.int().optional() }));

async function bytesOf(path: string): Promise<Buffer> {
  const { status, bytes } = await download(stack.url + path);
  expect(status).toBe(200);
  return bytes;
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

test('a personal access token can read a sheet, also under the base /api', async () => {
  const created = await api.post('/auth/tokens', { name: 'of sheets', expiresInDays: 30 }, { bearer: session });
  const { token } = z.object({ token: z.string() }).parse(created.json);
  const answer = await parse('voltage\n15 kV', token, '/api');
  expect([answer.status, answer.json]).toEqual([200, [{ processParameter: { voltage: 15, voltageUnit: 'kV' } }]]);
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

test('with cells=values, the cells of the first sheet with headings are returned with their types', async () => {
  const { body, headers } = imageForm(Buffer.from('Our runs\nPolymer,Voltage (kV)\nPVA,"12,5"\n'));
  const answer = await api.post('/data/parse-excel?cells=values', body, { headers, bearer: session });
  expect([answer.status, answer.json]).toEqual([
    200,
    {
      file: { kind: 'csv', sheet: null, sheets: [], encoding: 'utf-8', separator: ',' },
      merged: [],
      rows: [
        { number: 1, cells: ['Our runs'] },
        { number: 2, cells: ['Polymer', 'Voltage (kV)'] },
        { number: 3, cells: ['PVA', '12,5'] },
      ],
    },
  ]);
  const workbook = imageForm(await bytesOf('/public/dataset/export?format=xlsx'));
  const values = await api.post('/data/parse-excel?cells=values', workbook.body, {
    headers: workbook.headers,
    bearer: session,
  });
  expect(values.json).toMatchObject({ file: { kind: 'xlsx' }, merged: [] });
  const { rows } = z.object({ rows: z.array(z.object({ cells: z.array(z.unknown()) })) }).parse(values.json);
  expect([rows.length, rows[1]?.cells.some((cell) => typeof cell === 'number')]).toEqual([810, true]);
});

test('with cells=values and a name, the cells of another sheet are returned', async () => {
  const workbook = new exceljs.Workbook();
  workbook.addWorksheet('First').addRows([
    ['Polymer', 'Voltage (kV)'],
    ['PVA', 15],
  ]);
  workbook.addWorksheet('Notes').addRow(['none']);
  const { body, headers } = imageForm(Buffer.from(await workbook.xlsx.writeBuffer()));
  const values = (query: string) => api.post(`/data/parse-excel?${query}`, body, { headers, bearer: session });
  const sheets = ['First', 'Notes'];
  expect((await values('cells=values')).json).toMatchObject({ file: { sheet: 'First', sheets } });
  expect((await values('cells=values&sheet=Notes')).json).toEqual({
    file: { kind: 'xlsx', sheet: 'Notes', sheets },
    rows: [{ number: 1, cells: ['none'] }],
    merged: [],
  });
  expectError(await values('cells=values&sheet=Other'), 400, 'INVALID_PARAMETER', /"First", "Notes"/);
  expectError(await values('cells=values&include=1'), 400, 'INVALID_PARAMETER', /headings=guess/);
  expectError(await values('cells=true&sheet=Notes'), 400, 'INVALID_PARAMETER', /headings=guess/);
});

describe('a sheet with any headings', () => {
  const guess = (file: Buffer | string, query = '', base = '') => {
    const { body, headers } = imageForm(Buffer.from(file));
    return api.post(`${base}/data/parse-excel?headings=guess${query}`, body, {
      headers,
      bearer: session,
      timeoutMs: 120_000,
    });
  };

  test('has the reading of the library', async () => {
    const bytes = readFileSync(new URL('01-issue.csv', sheetFolder));
    const answer = await guess(bytes);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.json).toEqual(JSON.parse(JSON.stringify(readTextSheet(bytes))));
  });

  test('is ready after the choices, and can be submitted', async () => {
    const bytes = readFileSync(new URL('01-issue.csv', sheetFolder));
    const query = '&accept=range%3Amiddle%2Cbound%3Avalue%2Cneedle%3Agauge';
    const { json } = await guess(bytes, query, '/api');
    const reading = z
      .looseObject({ counts: z.unknown(), settled: z.boolean(), rows: z.array(z.looseObject({ item: z.unknown() })) })
      .parse(json);
    expect(reading).toMatchObject({ counts: { rows: 4, ready: 4, errors: 0, leftOut: 0 }, settled: true });
    const experimentData = reading.rows.map(({ item }) => item);
    const check = await api.post('/data/submit?validate=only', { experimentData }, { bearer: session });
    expect([check.status, check.json]).toEqual([200, expect.objectContaining({ valid: true })]);
  });

  test('takes columns and rows that the caller chooses', async () => {
    const sheet = 'Polymer,d (mm),Voltage (kV)\nPVA,0.4,15\nMean,,15\n';
    const columns = encodeURIComponent('{"d (mm)": "needle_definition"}');
    expect((await guess(sheet, `&columns=${columns}&include=3`)).json).toMatchObject({
      settled: true,
      columns: [{}, { state: 'read', reads: 'needle_definition', unit: 'mm' }, {}],
      rows: [
        { state: 'ready', item: { needleProperty: { needleDefinition: { size: 0.4, unit: 'mm' } } } },
        { row: 3, state: 'error' },
      ],
    });
  });

  test('has the formatting of a workbook', async () => {
    const workbook = new exceljs.Workbook();
    const sheet = workbook.addWorksheet('Runs');
    sheet.addRows([
      ['Polymer', 'Solvent', 'Voltage (kV)', 'Humidity (%)'],
      ['PVA', 'Water', { richText: [{ text: '18' }, { text: '20', font: { strike: true } }] }, 0.45],
      ['PVA', 'Water', 15, 0.5],
    ]);
    sheet.getCell('D2').numFmt = '0%';
    sheet.getCell('B2').note = 'distilled';
    sheet.getRow(3).hidden = true;
    const file = Buffer.from(await workbook.xlsx.writeBuffer());
    expect((await guess(file)).json).toMatchObject({
      counts: { rows: 2, ready: 0, errors: 1, leftOut: 1 },
      repairs: [{ kind: 'struck', at: 'C', cells: ['C2'], choices: ['without', 'with', 'empty'] }],
      notes: [
        { path: 'Runs!B2', kind: 'comment', text: 'distilled' },
        { path: 'Runs!D2', kind: 'percent-format', text: '45%', reads: '45 %' },
      ],
    });
    expect((await guess(file, '&accept=struck%3Awithout')).json).toMatchObject({
      rows: [{ item: { processParameter: { voltage: 18 } } }, { state: 'left-out', reason: 'hidden' }],
    });
    sheet.getRow(1).hidden = true;
    const hidden = await guess(Buffer.from(await workbook.xlsx.writeBuffer()));
    expectError(hidden, 400, 'VALIDATION_FAILED');
    expect(hidden.json).toMatchObject({ errors: [{ path: 'Runs!1:1', code: 'HIDDEN_HEADING_ROW' }] });
  });

  test('asks for a unit if the numbers are unusual among the published ones, and accepts it', async () => {
    const sheet = 'Polymer,Solvent,Fiber diameter,Voltage\nPVA,Water,0.45,15\n';
    expect((await guess(sheet)).json).toMatchObject({
      settled: false,
      columns: [
        {},
        {},
        { state: 'ask', candidates: ['fiber_diameter'], choices: expect.arrayContaining(['nm', 'µm']) },
        { state: 'read', unit: null, choices: [] },
      ],
      notes: [{ path: 'D1', kind: 'assumed-unit', text: 'Voltage', reads: 'kV' }],
    });
    const units = encodeURIComponent('{"Fiber diameter": "µm"}');
    expect((await guess(sheet, `&units=${units}`)).json).toMatchObject({
      settled: true,
      rows: [{ item: { fiberProperty: { fiberDiameter: 0.45, fiberDiameterUnit: 'µm' } } }],
    });
  });

  test('has several tables, rows to leave out, and columns by position', async () => {
    const sheet = 'Polymer,Voltage (kV)\nPVA,15\nPVA,x\nPolymer,Distance (cm),\nPAN,12,300\n';
    const columns = encodeURIComponent('{"@C": "fiber_diameter"}');
    const tables = [
      { headingRow: 1, rows: 2 },
      { headingRow: 4, rows: 1 },
    ];
    expect((await guess(sheet, '&exclude=3')).json).toMatchObject({
      tables,
      counts: { rows: 4, ready: 1, errors: 0, leftOut: 3 },
      rows: [{}, { row: 3, reason: 'excluded' }, { reason: 'other-table' }, { reason: 'other-table' }],
    });
    expect((await guess(sheet, `&table=2&columns=${columns}`)).json).toMatchObject({
      tables,
      headingRow: 4,
      rows: [{}, {}, {}, { item: { fiberProperty: { fiberDiameter: 300 } } }],
    });
    expect((await guess(sheet, '&headingRow=4')).json).toMatchObject({ tables: [{ headingRow: 4, rows: 1 }] });
  });

  test('without a heading row is refused with its first rows', async () => {
    const answer = await guess('Our runs\n\na,,b\nPVA,,15\n', '', '/api');
    expectError(answer, 400, 'VALIDATION_FAILED');
    expect(answer.json).toMatchObject({
      errors: [
        {
          code: 'NO_HEADING_ROW',
          rows: [
            { row: 1, cells: ['Our runs'] },
            { row: 3, cells: ['a', '', 'b'] },
            { row: 4, cells: ['PVA', '', '15'] },
          ],
        },
      ],
    });
  });

  test('refuses wrong parameters and names the valid ones', async () => {
    const sheet = 'Polymer,Voltage (kV)\nPVA,15\n';
    const refused: [query: string, message: RegExp][] = [
      ['&cells=true', /`headings`/],
      ['&cells=values', /`headings`/],
      ['&sheet=Sheet1', /no sheets/],
      ['&columns=%7B%22Voltage%20(kV)%22%3A%22voltge%22%7D', /nearest: voltage/],
      ['&units=%7B%22Voltage%20(kV)%22%3A%22cm%22%7D', /choose from kV, V/],
      ['&accept=rang%3Alow', /range/],
      ['&include=9', /9/],
      ['&exclude=9', /9/],
      ['&exclude=2&include=2', /row 2/],
      ['&table=2', /1/],
      ['&table=x', /`table`/],
      ['&headingRow=9', /9/],
      ['&headingRow=0', /`headingRow`/],
    ];
    for (const [query, message] of refused) {
      expectError(await guess(sheet, query), 400, 'INVALID_PARAMETER', message);
    }
    const { body, headers } = imageForm(Buffer.from(sheet));
    for (const query of ['headings=any', 'accept=range%3Alow', 'table=1']) {
      const answer = await api.post(`/data/parse-excel?${query}`, body, { headers, bearer: session });
      expectError(answer, 400, 'INVALID_PARAMETER');
    }
    expectError(await api.post('/data/parse-excel?headings=guess', body, { headers }), 401, 'AUTH_REQUIRED');
  });
});
