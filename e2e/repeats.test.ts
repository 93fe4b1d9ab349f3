import { beforeAll, describe, expect, test } from '@jest/globals';
import { DuckDBInstance } from '@duckdb/node-api';
import { sharedStack } from '@esd/testing/shared-stack';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { apiAt } from './support/api.ts';
import { expectError } from './support/errors.ts';
import { linkTargets } from './support/link-header.ts';
import { page } from './support/shapes.ts';

const { url } = await sharedStack();
const api = apiAt(url);

type Row = Readonly<Record<string, string>>;

/** Parses RFC 4180 with a header. */
function rowsOf(csv: string): Row[] {
  const lines: string[][] = [[]];
  for (const [, quoted, plain, end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    lines.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end !== ',') lines.push([]);
  }
  const [header = [], ...body] = lines.slice(0, -1);
  return body.map((cells) => Object.fromEntries(header.map((name, at) => [name, cells[at] ?? ''])));
}

/** Columns that say nothing about a repeat, or repeat other columns in their order. */
const IGNORED = new Set(['experiment_id', 'publication_title', 'fiber_images', 'polymer(s)', 'solvent(s)']);

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).sort().join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`);
  return `{${members.sort().join()}}`;
}

const canonicalCell = (cell: string): string => (/^[[{]/.test(cell) ? canonical(JSON.parse(cell)) : cell);

function doiOf(row: Row): string {
  const text = (row['doi'] ?? '').trim();
  // The DOI field of some demo records contains a URL of a publisher.
  return text.replace(/^(https?:\/\/(dx\.)?doi\.org\/|doi:?\s*)?(10\.\d+\/.*)$/i, (_, __, ___, doi: string) =>
    doi.toLowerCase(),
  );
}

/** Groups the record ids of rows that repeat each other, computed without the code of the service. */
function groupsOf(rows: readonly Row[]): number[][] {
  const groups = new Map<string, number[]>();
  for (const [at, row] of rows.entries()) {
    const doi = doiOf(row);
    const cells = Object.entries({ ...row, doi }).filter(([name]) => !IGNORED.has(name));
    const text = doi === '' ? `none ${at}` : JSON.stringify(cells.map(([name, cell]) => [name, canonicalCell(cell)]));
    groups.set(text, [...(groups.get(text) ?? []), Number(row['experiment_id'])]);
  }
  return [...groups.values()].map((ids) => ids.sort((a, b) => a - b));
}

let rows: Row[];
let groups: number[][];
let firsts: number[];
beforeAll(async () => {
  rows = rowsOf((await api.get('/public/dataset/export?format=csv')).text);
  groups = groupsOf(rows);
  firsts = groups.flatMap(([first]) => first ?? []).sort((a, b) => a - b);
});

async function explore(name: string, query: Record<string, string>, base = '/public/dataset'): Promise<unknown> {
  const answer = await api.get(`${base}/${name}?${new URLSearchParams(query).toString()}`);
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return answer.json;
}

const idPage = z.looseObject({ data: z.array(z.looseObject({ recordId: z.int() })), total: z.int() });
const idsOf = async (query: string, base = '/public/dataset'): Promise<number[]> =>
  idPage.parse((await api.get(`${base}?limit=1000&${query}`)).json).data.map(({ recordId }) => recordId);

test('161 records of the demo repeat another one, in 22 groups', () => {
  expect(rows).toHaveLength(809);
  expect(groups.filter(({ length }) => length > 1)).toHaveLength(22);
  expect(firsts).toHaveLength(809 - 161);
});

describe('with `repeats=once`', () => {
  test.each(['', '/latest', '/v1.0.0'])(
    'pages of results under "%s" have the lowest ids of the groups',
    async (base) => {
      const path = `/public/dataset${base}`;
      expect(await idsOf('repeats=once', path)).toEqual(firsts);
      expect(await idsOf('repeats=all', path)).toHaveLength(809);
      expect(await idsOf('repeats=once&after=100', path)).toEqual(firsts.filter((id) => id > 100));
      const [all, once] = [await idsOf('sort=-voltage,doi', path), await idsOf('sort=-voltage,doi&repeats=once', path)];
      expect(once).toEqual(all.filter((id) => firsts.includes(id)));
      const filter = encodeURIComponent('{"polymer":"PVDF","fiberDiameterMax":500}');
      const matching = await idsOf(`filter=${filter}`, path);
      expect(await idsOf(`filter=${filter}&repeats=once`, path)).toEqual(matching.filter((id) => firsts.includes(id)));
      expect(matching.length).toBe(173);
      const explained = await api.get(`${path}?explain=true&repeats=once&filter=${filter}`);
      expect(explained.json).toMatchObject({ total: 79 });
    },
  );

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

  test('every count of an analysis counts groups', async () => {
    const polymers = z.object({
      total: z.int(),
      facets: z.object({ polymer: z.object({ values: z.array(z.object({ value: z.string(), count: z.int() })) }) }),
    });
    const once = { repeats: 'once' };
    const facets = polymers.parse(await explore('facets', { ...once, keys: 'polymer', limit: '1000' }));
    expect(facets.total).toBe(firsts.length);
    const counts = new Map<string, number>();
    for (const row of rows.filter((one) => firsts.includes(Number(one['experiment_id'])))) {
      const components = z.array(z.object({ name: z.string() })).parse(JSON.parse(row['polymer_components'] ?? '[]'));
      for (const name of new Set(components.map((one) => one.name))) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    expect(Object.fromEntries(facets.facets.polymer.values.map(({ value, count }) => [value, count]))).toEqual(
      Object.fromEntries(counts),
    );
    const voltages = rows.filter(
      (row) => firsts.includes(Number(row['experiment_id'])) && (row['voltage'] ?? '') !== '',
    ).length;
    const total = { total: firsts.length };
    expect(await explore('statistics', { ...once, features: 'voltage' })).toMatchObject({
      ...total,
      statistics: { voltage: { count: voltages } },
    });
    expect(await explore('histogram', { ...once, feature: 'voltage' })).toMatchObject(total);
    expect(await explore('coverage', { ...once, limit: '1' })).toMatchObject(total);
    expect(await explore('grid', { ...once, x: 'voltage', y: 'tipDist' })).toMatchObject(total);
    const axes = { x: 'voltage', y: 'tipDist', nulls: 'true', limit: '20000' };
    const sizeOf = new Map(groups.map((ids) => [ids[0], ids.length]));
    for (const base of ['/public/dataset', '/public/dataset/v1.0.0']) {
      expect(await explore('points', { ...once, ...axes }, base)).toMatchObject({
        ...{ ...total, recordId: firsts },
        multiplicity: firsts.map((id) => sizeOf.get(id)),
      });
    }
    for (const query of [axes, { ...axes, repeats: 'all' }]) {
      expect(await explore('points', query)).not.toHaveProperty('multiplicity');
    }
  });

  test('neighbors are groups, and `exclude` leaves out the whole group', async () => {
    const shape = z.object({
      total: z.int(),
      neighbors: z.array(z.object({ recordId: z.int(), distance: z.number(), repeats: z.array(z.int()).optional() })),
      excluded: z.array(z.object({ reason: z.string(), count: z.int() })),
    });
    const recipe = { recipe: '{"polymer":"PVDF","voltage":15,"tipDist":15}', k: '100', explain: 'true' };
    const read = async (query: object) => shape.parse(await explore('nearest', { ...recipe, ...query }));
    const [all, once] = [await read({}), await read({ repeats: 'once' })];
    const byId = new Map(groups.flatMap((ids) => ids.map((id) => [id, ids] as const)));
    for (const { recordId, repeats } of once.neighbors) {
      expect([recordId, repeats]).toEqual([recordId, byId.get(recordId)?.slice(1)]);
    }
    expect(all.neighbors.filter(({ repeats }) => repeats !== undefined)).toEqual([]);
    // Both lists have the same groups at the same distances.
    const distances = new Map(once.neighbors.map(({ recordId, distance }) => [recordId, distance]));
    for (const { recordId, distance } of all.neighbors) {
      expect(distances.get(byId.get(recordId)?.[0] ?? 0)).toBe(distance);
    }
    const repeated = once.neighbors.find(({ repeats = [] }) => repeats.length > 0);
    const exclude = String(repeated?.repeats?.at(-1));
    const without = await read({ repeats: 'once', exclude });
    expect(without.neighbors.map(({ recordId }) => recordId)).not.toContain(repeated?.recordId);
    expect([without.total, without.excluded]).toEqual([
      once.total - 1,
      expect.arrayContaining([{ reason: 'excluded', count: 1 }]),
    ]);
  });

  test.each(['/public/dataset/export?', '/public/dataset/v1.0.0/export?'])(
    'files under %s have the lowest ids of the groups',
    async (path) => {
      const json = await api.get(`${path}format=json&repeats=once`);
      expect(
        z
          .array(z.looseObject({ recordId: z.int() }))
          .parse(json.json)
          .map((one) => one.recordId),
      ).toEqual(firsts);
      expect(json.headers.get('content-disposition')).toContain('-once.json"');
      const csv = await api.get(`${path}format=csv&repeats=once`);
      expect(rowsOf(csv.text).map((row) => Number(row['experiment_id']))).toEqual(firsts);
      expect(csv.headers.get('etag')).not.toBe((await api.get(`${path}format=csv`)).headers.get('etag'));
      const isRelease = path.includes('v1.0.0');
      expect(csv.headers.get('cache-control')).toBe(isRelease ? 'public, max-age=86400' : 'no-cache');
      const folder = await mkdtemp(join(tmpdir(), 'esd-repeats-'));
      try {
        const file = join(folder, 'once.parquet');
        const bytes = await (await fetch(`${url}${path}format=parquet&repeats=once`)).arrayBuffer();
        await writeFile(file, new Uint8Array(bytes));
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
      expect((await fetch(`${url}${path}format=xlsx&repeats=once`)).status).toBe(200);
      for (const format of ['zip']) {
        const answer = await api.get(`${path}format=${format}&repeats=once`);
        expectError(answer, 400, 'INVALID_PARAMETER', /`repeats` cannot be combined with `format=zip`/);
      }
      expect((await fetch(`${url}${path}format=zip&repeats=all`)).status).toBe(200);
    },
  );

  test('a public query contains the records with the lowest ids', async () => {
    const shape = z.looseObject({ id: z.string(), recordCount: z.int(), digest: z.string(), url: z.string() });
    const create = async (body: object) => shape.parse((await api.post('/public/queries', body)).json);
    const filter = { polymer: 'PVDF', fiberDiameterMax: 500 };
    const [all, explicit, once] = [
      await create({ filter }),
      await create({ filter, repeats: 'all' }),
      await create({ filter, repeats: 'once' }),
    ];
    expect([all.recordCount, once.recordCount]).toEqual([173, 79]);
    expect(explicit).toEqual(all);
    expect(all).not.toHaveProperty('repeats');
    expect(once).toMatchObject({ repeats: 'once' });
    expect(once.id).not.toBe(all.id);
    expect((await api.get(`/public/queries/${once.id}`)).json).toEqual(once);
    expect(await create({ filter, repeats: 'once', version: 'v1.0.0' })).toEqual(once);
    const ids = await idsOf('', `/public/queries/${once.id}/records`);
    expect(ids.every((id) => firsts.includes(id))).toBe(true);
    const csv = await api.get(`/public/queries/${once.id}/export?format=csv`);
    expect(rowsOf(csv.text).map((row) => Number(row['experiment_id']))).toEqual(ids);
    const citation = await api.get(`/public/queries/${once.id}/metadata?format=text`);
    expect(citation.text).toContain('repeats counted once');
    // Nothing repeats among the matching records, so only the id differs.
    const few = { recordId: undefined, doi: '10.1016/j.jafr.2019.100015' };
    const [plain, single] = [
      await create({ filter: { doi: few.doi } }),
      await create({ filter: { doi: few.doi }, repeats: 'once' }),
    ];
    expect([plain.digest === single.digest, plain.id === single.id]).toEqual([true, false]);
  });
});

test.each([
  ['?repeats=twice', /^`repeats` must be once or all, got "twice"\.$/],
  ['?repeats=', /`repeats`/],
  ['?repeats=once&repeats=once', /`repeats`.*more than once/],
  ['/facets?repeats=none', /`repeats`/],
  ['/nearest?recipe={"voltage":1}&repeats=Once', /`repeats`/],
  ['/export?format=csv&repeats=first', /`repeats`/],
  ['/v1.0.0/statistics?repeats=true', /`repeats`/],
  ['/records/1?repeats=once', /"repeats"/],
])('`%s` is rejected', async (path, message) => {
  expectError(await api.get(`/public/dataset${path}`), 400, 'INVALID_PARAMETER', message);
});

test.each(['twice', true, null, ['once']])('a public query rejects the value %j', async (repeats) => {
  const answer = await api.post('/public/queries', { filter: {}, repeats });
  expectError(answer, 400, 'VALIDATION_FAILED');
  expect(answer.text).toContain('"path":"repeats"');
});

describe('the features of solvents', () => {
  const property = z.object({ property: z.string(), value: z.number(), unit: z.string(), source: z.string() });
  const solvents = z.array(
    z.looseObject({
      ...{ name: z.string(), displayName: z.string(), shortName: z.string(), sameAs: z.string().optional() },
      properties: z.array(property.extend({ temperatureCelsius: z.number().optional() })),
    }),
  );
  const COLUMNS = {
    solventBoilingPoint: ['solvent_boiling_point_celsius', 'boilingPoint', '°C'],
    solventDielectricConstant: ['solvent_dielectric_constant', 'dielectricConstant', '1'],
    solventHansenHydrogen: ['solvent_hansen_hydrogen_sqrt_mpa', 'hansenHydrogen', 'MPa^0.5'],
  } as const;

  test('entries have properties and names', async () => {
    const entries = solvents.parse((await api.get('/metadata/solvents')).json);
    const own = entries.filter(({ sameAs, properties }) => sameAs === undefined && properties.length > 0);
    expect([own.length, own.flatMap(({ properties }) => properties).length]).toEqual([100, 673]);
    for (const { sameAs, properties } of entries) {
      const target = entries.find(({ name }) => name === sameAs);
      if (target) expect(properties).toEqual(target.properties);
    }
    const water = entries.find(({ name }) => name === 'WATER');
    expect(water?.properties[0]).toEqual({
      ...{ property: 'boilingPoint', value: 99.974, unit: '°C', source: 'chemicals:Tb/CRC_INORG' },
    });
    const found = await api.get('/metadata/polymers/search?cas=24937-79-9');
    expect(found.json).toMatchObject({
      displayName: 'Poly(vinylidene fluoride) (PVDF)',
      shortName: 'PVDF',
    });
  });

  test('files, statistics and filters have the values that the entries give', async () => {
    const entries = solvents.parse((await api.get('/metadata/solvents')).json);
    const csv = rowsOf((await api.get('/public/dataset/export?format=csv&normalized=true')).text);
    for (const [feature, [column, name, unit]] of Object.entries(COLUMNS)) {
      const expected = csv.map((row) => {
        const component = z.object({ name: z.string(), volumeRatio: z.number().optional() });
        const components = z
          .array(component)
          .parse(JSON.parse(row['solvent_components'] === '' ? '[]' : (row['solvent_components'] ?? '[]')));
        const values = components.map(
          ({ name: own }) =>
            entries.find((entry) => entry.name === own)?.properties.find((one) => one.property === name)?.value,
        );
        // No record of the demo has a blend with ratios.
        return values.length === 1 ? values[0] : undefined;
      });
      expect(csv.map((row) => row[column])).toEqual(expected.map((value) => String(value ?? '')));
      const count = expected.filter((value) => value !== undefined).length;
      expect(await explore('statistics', { features: feature })).toMatchObject({
        statistics: { [feature]: { unit, count, missing: 809 - 466 - 343, notConvertible: 343 } },
      });
      const filter = JSON.stringify({ [`${feature}Min`]: 50 });
      const above = expected.filter((value = NaN) => value >= 50).length;
      expect(await explore('facets', { filter, keys: 'polymer' })).toMatchObject({ total: above });
      expect(count).toBe(466);
    }
  });
});
