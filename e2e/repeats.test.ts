import { beforeAll, describe, expect, test } from '@jest/globals';
import { DuckDBInstance } from '@duckdb/node-api';
import { sharedStack } from '@esd/testing/shared-stack';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { apiAt } from './support/api.ts';
import { csvTable } from './support/csv-table.ts';
import { download } from './support/download.ts';
import { expectError } from './support/errors.ts';
import { linkTargets } from './support/link-header.ts';
import { page } from './support/shapes.ts';

const { url } = await sharedStack();
const api = apiAt(url);

let all: number[];
/** The records with the lowest ids of the groups. The tests of dataset-svc compare groups with an independent computation. */
let firsts: number[];
beforeAll(async () => {
  [all, firsts] = [await idsOf(''), await idsOf('repeats=once')];
});

async function explore(name: string, query: Record<string, string>, base = '/public/dataset'): Promise<unknown> {
  const answer = await api.get(`${base}/${name}?${new URLSearchParams(query).toString()}`);
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return answer.json;
}

const idPage = z.looseObject({ data: z.array(z.looseObject({ recordId: z.int() })), total: z.int() });
const idsOf = async (query: string, base = '/public/dataset'): Promise<number[]> =>
  idPage.parse((await api.get(`${base}?limit=1000&${query}`)).json).data.map(({ recordId }) => recordId);

test('161 records of the demo repeat one with a lower id', () => {
  expect([all.length, firsts.length]).toEqual([809, 809 - 161]);
  expect(all).toEqual(expect.arrayContaining(firsts));
});

describe('with `repeats=once`', () => {
  test.each(['', '/v1.0.0'])('pages of results under "%s" have the lowest ids of the groups', async (base) => {
    const path = `/public/dataset${base}`;
    expect(await idsOf('repeats=once', path)).toEqual(firsts);
    expect(await idsOf('repeats=all', path)).toHaveLength(809);
    expect(await idsOf('repeats=once&after=100', path)).toEqual(firsts.filter((id) => id > 100));
    const [sorted, once] = [await idsOf('sort=-voltage', path), await idsOf('sort=-voltage&repeats=once', path)];
    expect(once).toEqual(sorted.filter((id) => firsts.includes(id)));
    const filter = encodeURIComponent('{"polymer":"PVDF","fiberDiameterMax":500}');
    const matching = await idsOf(`filter=${filter}`, path);
    expect(await idsOf(`filter=${filter}&repeats=once`, path)).toEqual(matching.filter((id) => firsts.includes(id)));
    expect(matching.length).toBe(173);
    const explained = await api.get(`${path}?explain=true&repeats=once&filter=${filter}`);
    expect(explained.json).toMatchObject({ total: 79 });
  });

  test('pages lead to the next one, have their own tag and are cached for a day', async () => {
    const path = '/public/dataset/v1.0.0?limit=5';
    const answer = await api.get(`${path}&repeats=once`);
    const next = new URL(linkTargets(answer.headers.get('link')).get('next') ?? '');
    expect([next.searchParams.get('repeats'), next.searchParams.get('skip')]).toEqual(['once', '5']);
    expect(page.parse((await api.get(next.pathname + next.search)).json).data.map(({ recordId }) => recordId)).toEqual(
      firsts.slice(5, 10),
    );
    expect(answer.headers.get('cache-control')).toBe('public, max-age=86400');
    expect(answer.headers.get('etag')).not.toBe((await api.get(path)).headers.get('etag'));
  });

  test.each<[name: string, query: Record<string, string>]>([
    ['facets', { limit: '1' }],
    ['statistics', { features: 'voltage' }],
    ['histogram', { feature: 'voltage' }],
    ['coverage', { limit: '1' }],
    ['grid', { x: 'voltage', y: 'tipDist' }],
    ['nearest', { recipe: '{"voltage":15}' }],
    ['summary', {}],
  ])('and by default, %s counts groups', async (name, query) => {
    for (const base of ['/public/dataset', '/public/dataset/v1.0.0']) {
      const answer = await explore(name, query, base);
      expect(answer).toMatchObject({ total: firsts.length, records: 809 });
      expect(await explore(name, { ...query, repeats: 'once' }, base)).toEqual(answer);
      expect(await explore(name, { ...query, repeats: 'all' }, base)).toMatchObject({ total: 809, records: 809 });
    }
  });

  test('and by default, papers count groups', async () => {
    const listed = z.looseObject({ total: z.int(), data: z.array(z.looseObject({ records: z.int() })) });
    const recordsOf = async (repeats: string) => {
      const { total, data } = listed.parse((await api.get(`/public/dataset/papers?limit=1000${repeats}`)).json);
      return [total, data.reduce((sum, { records }) => sum + records, 0)];
    };
    expect(await recordsOf('')).toEqual([57, firsts.length]);
    expect(await recordsOf('&repeats=all')).toEqual([57, 809]);
    const { id } = z.looseObject({ id: z.string() }).parse((await api.post('/public/queries', {})).json);
    const ofQuery = listed.parse((await api.get(`/public/queries/${id}/papers?limit=1000`)).json);
    expect(ofQuery.data.reduce((sum, { records }) => sum + records, 0)).toBe(firsts.length);
  });

  test.each(['/public/dataset', '/public/dataset/v1.0.0'])(
    'points under %s are the first records, with the numbers of their groups',
    async (base) => {
      const axes = { x: 'voltage', y: 'tipDist', nulls: 'true', limit: '20000' };
      const shape = z.looseObject({ recordId: z.array(z.int()), multiplicity: z.array(z.int()) });
      const { recordId, multiplicity } = shape.parse(await explore('points', axes, base));
      expect(recordId).toEqual(firsts);
      expect(multiplicity.reduce((sum, one) => sum + one, 0)).toBe(809);
      expect(await explore('points', { ...axes, repeats: 'all' }, base)).not.toHaveProperty('multiplicity');
    },
  );

  test.each(['/public/dataset/export?', '/public/dataset/v1.0.0/export?'])(
    'files under %s have the lowest ids of the groups',
    async (path) => {
      const json = await api.get(`${path}format=json&repeats=once`);
      const records = z.array(z.looseObject({ recordId: z.int() })).parse(json.json);
      expect(records.map(({ recordId }) => recordId)).toEqual(firsts);
      expect(json.headers.get('content-disposition')).toContain('-once.json"');
      const csv = await api.get(`${path}format=csv&repeats=once`);
      expect(csvTable(csv.text).map((row) => Number(row['experiment_id']))).toEqual(firsts);
      expect(csv.headers.get('etag')).not.toBe((await api.get(`${path}format=csv`)).headers.get('etag'));
      const isRelease = path.includes('v1.0.0');
      expect(csv.headers.get('cache-control')).toBe(isRelease ? 'public, max-age=86400' : 'no-cache');
      expect((await download(`${url}${path}format=xlsx&repeats=once`)).status).toBe(200);
      const zip = await api.get(`${path}format=zip&repeats=once`);
      expectError(zip, 400, 'INVALID_PARAMETER', /`repeats` cannot be combined with `format=zip`/);
      expect((await download(`${url}${path}format=zip&repeats=all`)).status).toBe(200);
    },
  );

  test('a parquet file states that repeats count once', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'esd-repeats-'));
    try {
      const file = join(folder, 'once.parquet');
      const { bytes } = await download(`${url}/public/dataset/export?format=parquet&repeats=once`);
      await writeFile(file, bytes);
      const database = await DuckDBInstance.create(':memory:');
      const connection = await database.connect();
      const read = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJS().flat();
      expect((await read(`select experiment_id from '${file}'`)).map(Number)).toEqual(firsts);
      const about = `select decode(value) from parquet_kv_metadata('${file}') where decode(key) = 'repeats'`;
      expect(await read(about)).toEqual(['once']);
      connection.closeSync();
      database.closeSync();
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('a public query contains the records with the lowest ids', async () => {
    const shape = z.looseObject({ id: z.string(), recordCount: z.int(), digest: z.string(), url: z.string() });
    const create = async (body: object) => shape.parse((await api.post('/public/queries', body)).json);
    const filter = { polymer: 'PVDF', fiberDiameterMax: 500 };
    const [query, explicit, once] = [
      await create({ filter }),
      await create({ filter, repeats: 'all' }),
      await create({ filter, repeats: 'once' }),
    ];
    expect([query.recordCount, once.recordCount]).toEqual([173, 79]);
    expect(explicit).toEqual(query);
    expect(query).not.toHaveProperty('repeats');
    expect(once).toMatchObject({ repeats: 'once' });
    expect(once.id).not.toBe(query.id);
    expect((await api.get(`/public/queries/${once.id}`)).json).toEqual(once);
    expect(await create({ filter, repeats: 'once', version: 'v1.0.0' })).toEqual(once);
    const ids = await idsOf('', `/public/queries/${once.id}/records`);
    expect(ids.every((id) => firsts.includes(id))).toBe(true);
    const csv = await api.get(`/public/queries/${once.id}/export?format=csv`);
    expect(csvTable(csv.text).map((row) => Number(row['experiment_id']))).toEqual(ids);
    const citation = await api.get(`/public/queries/${once.id}/metadata?format=text`);
    expect(citation.text).toContain('repeats counted once');
    // Nothing repeats among the matching records, so only the id differs.
    const few = { filter: { doi: '10.1016/j.jafr.2019.100015' } };
    const [plain, single] = [await create(few), await create({ ...few, repeats: 'once' })];
    expect([plain.digest === single.digest, plain.id === single.id]).toEqual([true, false]);
  });
});

test.each([
  ['?repeats=twice', /^`repeats` must be once or all, got "twice"\.$/],
  ['/nearest?recipe={"voltage":1}&repeats=Once', /`repeats`/],
  ['/export?format=csv&repeats=first', /`repeats`/],
  ['/records/1?repeats=once', /"repeats"/],
])('`%s` is rejected', async (path, message) => {
  expectError(await api.get(`/public/dataset${path}`), 400, 'INVALID_PARAMETER', message);
});

test('a public query rejects another value', async () => {
  const answer = await api.post('/public/queries', { filter: {}, repeats: 'twice' });
  expectError(answer, 400, 'VALIDATION_FAILED');
  expect(answer.text).toContain('"path":"repeats"');
});

describe('the features of solvents', () => {
  test('are in the list, in files, and in analyses', async () => {
    const entry = z.looseObject({ name: z.string(), properties: z.array(z.unknown()) });
    const entries = z.array(entry).parse((await api.get('/metadata/solvents')).json);
    const water = { property: 'boilingPoint', value: 99.974, unit: '°C', source: 'chemicals:Tb/CRC_INORG' };
    expect(entries.find(({ name }) => name === 'WATER')?.properties[0]).toEqual(water);
    const found = await api.get('/metadata/polymers/search?cas=24937-79-9');
    expect(found.json).toMatchObject({ displayName: 'Poly(vinylidene fluoride) (PVDF)', shortName: 'PVDF' });
    // Record 1 has acetone. Blends have no value, because no record of the demo has ratios.
    const rows = csvTable((await api.get('/public/dataset/export?format=csv&normalized=true')).text);
    for (const [feature, column, acetone] of [
      ['solventBoilingPoint', 'solvent_boiling_point_celsius', '56.08'],
      ['solventDielectricConstant', 'solvent_dielectric_constant', '21.01'],
      ['solventHansenHydrogen', 'solvent_hansen_hydrogen_sqrt_mpa', '7'],
    ] as const) {
      expect([feature, rows[0]?.[column]]).toEqual([feature, acetone]);
      expect(rows.filter((row) => row[column] !== '')).toHaveLength(466);
      expect(await explore('statistics', { features: feature, repeats: 'all' })).toMatchObject({
        statistics: { [feature]: { count: 466, missing: 0, notConvertible: 343 } },
      });
      const above = rows.filter((row) => row[column] !== '' && Number(row[column]) >= 50).length;
      const filter = JSON.stringify({ [`${feature}Min`]: 50 });
      expect(await explore('facets', { filter, keys: 'polymer' })).toMatchObject({ records: above });
    }
  });
});
