import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import exceljs from 'exceljs';
import { sharedStack } from '@esd/testing/shared-stack';
import { apiAt } from './support/api.ts';
import { download } from './support/download.ts';
import { expectError } from './support/errors.ts';
import { records } from './support/shapes.ts';

const { url } = await sharedStack();
const api = apiAt(url);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'esd-exports-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function readSheets(bytes: Buffer): Promise<exceljs.Workbook> {
  const workbook = new exceljs.Workbook();
  await workbook.xlsx.load(new Uint8Array(bytes).buffer);
  return workbook;
}

const FILTER = encodeURIComponent('{"polymer":"PVDF","voltageMin":10}');

describe.each([
  ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', ''],
  ['parquet', 'application/vnd.apache.parquet', ''],
  ['zip', 'application/zip', '-images'],
])('%s', (format, mediaType, suffix) => {
  const path = `/public/dataset/export?format=${format}`;
  const address = url + path;

  test('is a stored file with its length, a tag and a name', async () => {
    const { status, headers, bytes } = await download(address);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe(mediaType);
    expect(headers.get('content-length')).toBe(String(bytes.length));
    expect(headers.get('accept-ranges')).toBe('bytes');
    expect(headers.get('cache-control')).toBe('no-cache');
    expect(headers.get('content-disposition')).toMatch(
      new RegExp(`^attachment; filename="electrospinning-dataset-latest-r\\d+${suffix}\\.${format}"$`),
    );
    const etag = headers.get('etag') ?? '';
    expect((await download(address, { 'if-none-match': etag })).status).toBe(304);
    const parts = await Promise.all(
      ['bytes=0-99', `bytes=100-${bytes.length + 50}`].map((range) => download(address, { range, 'if-range': etag })),
    );
    expect(parts.map((part) => part.status)).toEqual([206, 206]);
    expect(Buffer.concat(parts.map((part) => part.bytes)).equals(bytes)).toBe(true);
    expect(parts[1]?.headers.get('content-range')).toBe(`bytes 100-${bytes.length - 1}/${bytes.length}`);
    const head = await api.head(path);
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)]);
    expectError(await api.get(path, { headers: { range: 'bytes=99999999-' } }), 416, 'RANGE_NOT_SATISFIABLE');
  });
});

test('xlsx has the records of the json export, also with a filter', async () => {
  for (const query of ['', `&filter=${FILTER}`]) {
    const expected = records.parse((await api.get(`/public/dataset/export?format=json${query}`)).json);
    const { headers, bytes } = await download(`${url}/public/dataset/export?format=xlsx${query}`);
    expect(headers.get('content-disposition')?.includes('-filtered')).toBe(query !== '');
    const workbook = await readSheets(bytes);
    const sheet = workbook.getWorksheet('Data');
    const ids: unknown[] = [];
    sheet?.eachRow((row, number) => {
      if (number > 1) ids.push(row.getCell(2).value);
    });
    expect(ids).toEqual(expected.map(({ recordId }) => recordId));
    const about = new Map<unknown, unknown>();
    workbook.getWorksheet('About')?.eachRow((row) => about.set(row.getCell(1).value, row.getCell(2).value));
    expect(about.get('Records')).toBe(expected.length);
    expect(about.get('Filter')).toBe(query === '' ? 'none (all records)' : decodeURIComponent(FILTER));
  }
});

test('parquet has the records of the json export', async () => {
  const expected = records.parse((await api.get('/public/dataset/export?format=json')).json);
  const path = join(folder, 'latest.parquet');
  await writeFile(path, (await download(`${url}/public/dataset/export?format=parquet`)).bytes);
  const database = await DuckDBInstance.create(':memory:');
  const connection = await database.connect();
  const rows = await connection.runAndReadAll(`select experiment_id from '${path}'`);
  expect(rows.getRowsJson().map(([id]) => Number(id))).toEqual(expected.map(({ recordId }) => recordId));
  connection.closeSync();
  database.closeSync();
});
