import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import exceljs from 'exceljs';
import { z } from 'zod';
import { sharedStack } from '@esd/testing/shared-stack';
import { apiAt } from './support/api.ts';
import { download } from './support/download.ts';
import { expectError } from './support/errors.ts';
import { linkTargets } from './support/link-header.ts';
import { page, records } from './support/shapes.ts';

const demo = apiAt((await sharedStack()).url);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'esd-forms-'));
});
afterAll(() => rm(folder, { recursive: true }));

const parts = z.array(z.looseObject({ recordId: z.int() }));
const partPage = page.extend({ data: parts });

const everyRecord = async () => records.parse((await demo.get('/public/dataset/export?format=json')).json);
const revisionOf = (headers: Headers): number => Number(headers.get('esd-dataset-revision') ?? 'none');

/** The columns of normalized values, which follow the others in files. */
const NORMALIZED =
  'voltage_kv,flow_rate_ml_h,tip_dist_cm,concentration_wt_percent,temp_celsius,humidity_percent,needle_diameter_mm,' +
  'fiber_diameter_nm,variation_percent,weight_g_m2,tensile_strength_mpa,modulus_mpa,elongation_at_break_percent,' +
  'surface_area_m2_g,porosity_percent,permeability_cm2,wettability_deg,electrical_conductivity_s_m,' +
  'thermal_conductivity_w_mk,field_strength_kv_cm,solvent_boiling_point_celsius,solvent_dielectric_constant,' +
  'solvent_hansen_hydrogen_sqrt_mpa';
const COLUMNS = NORMALIZED.split(',').length;
const OF_PAPER = 'publication_year,journal';

/** Returns a pattern of the texts that begin with a text. */
const startOf = (text: string): RegExp => new RegExp(`^${text.replaceAll(/[^\w\s]/g, String.raw`\$&`)}`);

/** Formats numbers and names as a line of a csv. */
const lineOf = (cells: readonly unknown[]): string =>
  cells.map((cell) => (typeof cell === 'number' || typeof cell === 'string' ? String(cell) : '')).join();

describe('fields', () => {
  test.each(['', '/latest', '/v1.0.0'])('records under "%s" have the requested members', async (base) => {
    const all = await everyRecord();
    const expected = all.map(({ recordId, polymerProperty, processParameter: { voltage, voltageUnit } = {} }) => {
      const names = polymerProperty?.polymerComponents?.map(({ polymerName }) => ({ polymerName }));
      const process = {
        ...(voltage !== undefined && { voltage }),
        ...(voltageUnit !== undefined && { voltageUnit }),
      };
      return {
        recordId,
        ...(names && { polymerProperty: { polymerComponents: names } }),
        ...(Object.keys(process).length > 0 && { processParameter: process }),
      };
    });
    const fields = 'fields=processParameter.voltage,polymerProperty.polymerComponents.polymerName';
    const answer = await demo.get(`/public/dataset${base}?limit=1000&${fields}`);
    expect(partPage.parse(answer.json).data).toEqual(expected);
    const byVoltage = await demo.get(`/public/dataset${base}?limit=1000&sort=-voltage&${fields}`);
    const order = page.parse((await demo.get(`/public/dataset${base}?limit=1000&sort=-voltage`)).json).data;
    expect(partPage.parse(byVoltage.json).data).toEqual(order.map(({ recordId }) => expected[recordId - 1]));
  });

  test('select a group or the ids, and can be combined with normalized values', async () => {
    const [first] = await everyRecord();
    const read = async (query: string) =>
      partPage.parse((await demo.get(`/public/dataset?limit=1&${query}`)).json).data;
    const { recordId, experimentId, fiberProperty } = first ?? {};
    expect(await read('fields=fiberProperty')).toEqual([{ recordId, fiberProperty }]);
    expect(await read('fields=recordId')).toEqual([{ recordId }]);
    expect(await read('fields=experimentId')).toEqual([{ recordId, experimentId }]);
    const [whole] = await read('normalized=true');
    expect(await read('fields=recordId&normalized=true')).toEqual([{ recordId, normalized: whole?.['normalized'] }]);
    const after = await demo.get('/public/dataset?after=0&limit=1&fields=fiberProperty');
    expect(after.json).toMatchObject({ data: [{ recordId, fiberProperty }], after: 0 });
  });

  test('a page leads to the next one, has its own tag, and has the cache lifetime of whole records', async () => {
    const answer = await demo.get('/public/dataset/v1.0.0?limit=5&fields=fiberProperty,processParameter.voltage');
    const { searchParams } = new URL(linkTargets(answer.headers.get('link')).get('next') ?? '');
    expect(searchParams.get('fields')).toBe('fiberProperty,processParameter.voltage');
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const tag = answer.headers.get('etag') ?? '';
    const same =
      '/public/dataset/v1.0.0?limit=5&fields=processParameter.voltage,fiberProperty,processParameter.voltageUnit';
    expect((await demo.get(same, { headers: { 'if-none-match': tag } })).status).toBe(304);
    for (const other of ['', '&fields=fiberProperty']) {
      expect((await demo.get(`/public/dataset/v1.0.0?limit=5${other}`)).headers.get('etag')).not.toBe(tag);
    }
  });

  test.each([
    ['voltage', /"voltage".*nearest: "processParameter\.voltage"/],
    ['fiberProperty&fields=recordId', /`fields`.*more than once/],
  ])('`%s` is rejected', async (fields, message) => {
    for (const path of ['', '/v1.0.0', '/10.5281/zenodo.1']) {
      for (const end of ['?', '/export?format=json&']) {
        const answer = await demo.get(`/public/dataset${path}${end}fields=${fields}`);
        expectError(answer, 400, 'INVALID_PARAMETER', message);
      }
    }
  });
});

describe('exports', () => {
  const text = async (path: string): Promise<string> => (await demo.get(path)).text;

  test.each(['/public/dataset', '/public/dataset/v1.0.0'])(
    'json under %s accepts an order, fields and normalized values',
    async (base) => {
      const query = 'sort=-fiberDiameter,doi&normalized=true&fields=fiberProperty';
      const pages = partPage.parse((await demo.get(`${base}?limit=1000&${query}`)).json).data;
      const answer = await demo.get(`${base}/export?format=json&${query}`);
      expect(parts.parse(answer.json)).toEqual(pages);
      expect(pages[0]).toHaveProperty('normalized.fiberDiameter');
      expect(answer.headers.get('content-disposition')).toContain('-sorted-fields-normalized.json"');
      const tag = answer.headers.get('etag') ?? '';
      const again = await demo.get(`${base}/export?format=json&${query}`, { headers: { 'if-none-match': tag } });
      expect([again.status, revisionOf(again.headers)]).toEqual([304, revisionOf(answer.headers)]);
      for (const other of ['', '&sort=-fiberDiameter', '&normalized=true', '&fields=fiberProperty']) {
        expect((await demo.get(`${base}/export?format=json${other}`)).headers.get('etag')).not.toBe(tag);
      }
    },
  );

  /** The normalized values of each record in an order, as csv lines. */
  const numbersOf = async (query: string): Promise<string[]> => {
    const { data } = partPage.parse((await demo.get(`/public/dataset?limit=1000&normalized=true&${query}`)).json);
    const keys =
      'voltage,flowRate,tipDist,concentration,temp,humidity,needleDiameter,fiberDiameter,variation,weight,' +
      'tensileStrength,modulus,elongationAtBreak,surfaceArea,porosity,permeability,wettability,electricalConductivity,' +
      'thermalConductivity,fieldStrength,solventBoilingPoint,solventDielectricConstant,solventHansenHydrogen';
    return data.map((record) => {
      const values = z.record(z.string(), z.number()).parse(record['normalized']);
      return keys
        .split(',')
        .map((key) => String(values[key] ?? ''))
        .join(',');
    });
  };

  test('csv has the normalized values after its other columns, in the requested order', async () => {
    const plain = (await text('/public/dataset/export?format=csv&sort=voltage')).split('\r\n');
    const lines = (await text('/public/dataset/export?format=csv&sort=voltage&normalized=true')).split('\r\n');
    const numbers = await numbersOf('sort=voltage');
    expect(lines[0]).toBe(`${plain[0]},${NORMALIZED},${OF_PAPER}`);
    expect(lines.at(-1)).toBe('');
    // e2e/papers.test.ts compares the columns of the paper.
    for (const [at, line] of numbers.entries()) {
      expect(lines[at + 1]).toEqual(expect.stringMatching(startOf(`${plain[at + 1]},${line},`)));
    }
    expect(lines).toHaveLength(numbers.length + 2);
    const unsorted = (await text('/public/dataset/export?format=csv')).split('\r\n');
    expect(plain).not.toEqual(unsorted);
    expect(plain.toSorted()).toEqual(unsorted.toSorted());
  });

  test('parquet and xlsx have them too', async () => {
    const query = 'sort=-fieldStrength&normalized=true';
    const numbers = await numbersOf('sort=-fieldStrength');
    const read = async (format: string): Promise<Buffer> =>
      (await download(`${demo.url}/public/dataset/v1.0.0/export?format=${format}&${query}`)).bytes;
    const path = join(folder, 'sorted.parquet');
    await writeFile(path, await read('parquet'));
    const database = await DuckDBInstance.create(':memory:');
    const connection = await database.connect();
    const rows = await connection.runAndReadAll(`select ${NORMALIZED} from '${path}'`);
    const lines = rows.getRowsJS().map((row) => lineOf(row));
    connection.closeSync();
    database.closeSync();
    expect(lines).toEqual(numbers);

    const workbook = new exceljs.Workbook();
    await workbook.xlsx.load(new Uint8Array(await read('xlsx')).buffer);
    const sheet: unknown[][] = [];
    workbook.getWorksheet('Data')?.eachRow((row) => {
      const length = sheet[0]?.length ?? row.cellCount;
      sheet.push(Array.from({ length }, (_, at) => row.getCell(at + 1).value));
    });
    const [header = [], ...body] = sheet;
    const start = header.length - COLUMNS - 2;
    expect(lineOf(header.slice(start))).toBe(`${NORMALIZED},${OF_PAPER}`);
    expect(body.map((row) => lineOf(Array.from({ length: COLUMNS }, (_, at) => row[start + at])))).toEqual(numbers);
    const about = new Map<unknown, unknown>();
    workbook.getWorksheet('About')?.eachRow((row) => about.set(row.getCell(1).value, row.getCell(2).value));
    expect(about.get('Order')).toBe('-fieldStrength');
    expect(about.get('Normalized values')).toMatch(/filters/);
  });

  test('responses that depend on rules may be cached for a day, selected fields permanently', async () => {
    for (const [query, expected] of [
      ['', 'public, max-age=31536000, immutable'],
      ['&fields=recordId', 'public, max-age=31536000, immutable'],
      ['&sort=voltage', 'public, max-age=86400'],
      ['&normalized=true', 'public, max-age=86400'],
    ]) {
      const { headers } = await demo.get(`/public/dataset/v1.0.0/export?format=json${query}`);
      expect([query, headers.get('cache-control')]).toEqual([query, expected]);
    }
  });

  test.each([
    ['format=csv&fields=fiberProperty', /`fields` cannot be combined with `format=csv`.*`json`\./],
    ['format=parquet&fields=recordId', /`fields`.*`json`/],
    ['fields=recordId', /`format=xlsx`/],
    ['format=zip&fields=recordId', /`fields`/],
    ['format=zip&normalized=true', /`normalized`.*`xlsx`, `json`, `csv`, `parquet`/],
    ['format=zip&sort=voltage', /`sort`.*`csv`/],
    ['format=json&sort=voltag', /nearest: "voltage"/],
    ['format=json&normalized=yes', /`normalized`/],
  ])('%s is rejected', async (query, message) => {
    for (const base of ['/public/dataset', '/public/dataset/v1.0.0', '/public/dataset/10.5281/zenodo.1']) {
      expectError(await demo.get(`${base}/export?${query}`), 400, 'INVALID_PARAMETER', message);
    }
    expect((await demo.get('/public/dataset/export?format=zip&normalized=false')).status).toBe(200);
  });
});

test('reads and exports report the dataset revision, also to pages of another origin', async () => {
  const [release] = z
    .array(z.looseObject({ datasetRevision: z.int().min(1) }))
    .parse((await demo.get('/public/dataset/versions')).json);
  const latest = await demo.get('/public/dataset?limit=1');
  const revision = revisionOf(latest.headers);
  expect(revision).toBeGreaterThanOrEqual(release?.datasetRevision ?? Infinity);
  expect(latest.headers.get('access-control-expose-headers')).toContain('ESD-Dataset-Revision');
  const paths = ['', '/facets', '/export?format=json', '/export?format=xlsx', '/export?format=csv', '/records/1'];
  for (const [base, expected] of [
    ['', revision],
    ['/v1.0.0', release?.datasetRevision],
  ]) {
    for (const path of paths) {
      const { status, headers } = await demo.get(`/public/dataset${base}${path}`);
      expect([path, status, revisionOf(headers)]).toEqual([path, 200, expected]);
      const tag = { 'if-none-match': headers.get('etag') ?? '' };
      const revalidated = await demo.get(`/public/dataset${base}${path}`, { headers: tag });
      expect([path, revalidated.status, revisionOf(revalidated.headers)]).toEqual([path, 304, expected]);
      expect(revisionOf((await demo.head(`/public/dataset${base}${path}`)).headers)).toBe(expected);
    }
  }
});
