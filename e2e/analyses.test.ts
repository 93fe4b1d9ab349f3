import { beforeAll, describe, expect, test } from '@jest/globals';
import { sharedStack } from '@esd/testing/shared-stack';
import { z } from 'zod';
import { apiAt } from './support/api.ts';
import { expectError } from './support/errors.ts';
import { exploredRecord } from './support/explored-record.ts';

const api = apiAt((await sharedStack()).url);
const BASES = ['/public/dataset', '/public/dataset/latest', '/public/dataset/v1.0.0', '/api/public/dataset'];

/** The analyzed values of each demo record. */
let records: ReturnType<typeof exploredRecord>[];
beforeAll(async () => {
  const answer = await api.get('/public/dataset/export?format=json');
  records = z.array(z.record(z.string(), z.unknown())).parse(answer.json).map(exploredRecord);
  expect(records).toHaveLength(809);
});

function queryOf(parameters: Record<string, string | number | object>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    query.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  }
  return query.toString();
}

async function explore(name: string, parameters: Record<string, string | number | object> = {}): Promise<unknown> {
  const answer = await api.get(`/public/dataset/${name}?${queryOf(parameters)}`);
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return answer.json;
}

function countsOf(values: readonly string[]): { value: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  // Every text of the demo is in the basic multilingual plane.
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([value, count]) => ({ value, count }));
}

describe('facets', () => {
  test('count the values of each category', async () => {
    const { facets, total } = z
      .object({
        total: z.int(),
        facets: z.record(
          z.string(),
          z.object({
            values: z.array(z.object({ value: z.string(), count: z.int() })),
            distinct: z.int(),
            missing: z.int(),
          }),
        ),
      })
      .parse(await explore('facets', { limit: 1000 }));
    expect(total).toBe(809);
    expect(Object.keys(facets)).toHaveLength(11);
    for (const key of ['polymer', 'solvent', 'collectorType', 'needleType', 'isFormationStable', 'doi'] as const) {
      const values = countsOf(records.flatMap((record) => record.categories[key]));
      const missing = records.filter((record) => record.categories[key].length === 0).length;
      expect([key, facets[key]]).toEqual([key, { values, distinct: values.length, missing }]);
    }
  });

  test('omit only their own key of a filter', async () => {
    const answer = await explore('facets', {
      keys: 'polymer,collectorType',
      limit: 3,
      filter: { polymer: 'pvdf', voltageMin: 15 },
    });
    const strong = records.filter(({ voltage }) => voltage !== undefined && voltage >= 15);
    const pvdf = strong.filter(({ categories }) => categories.polymer.some((name) => name.includes('PVDF')));
    const [polymers, collectors] = [
      countsOf(strong.flatMap(({ categories }) => categories.polymer)),
      countsOf(pvdf.flatMap(({ categories }) => categories.collectorType)),
    ];
    expect(answer).toMatchObject({
      total: pvdf.length,
      version: 'latest',
      facets: {
        polymer: { values: polymers.slice(0, 3), distinct: polymers.length },
        collectorType: { values: collectors.slice(0, 3), distinct: collectors.length },
      },
    });
  });
});

test('the filter of a value matches the count of its facet, and "=" matches records without a value', async () => {
  const { facets } = z
    .object({
      facets: z.record(
        z.string(),
        z.object({ values: z.array(z.object({ value: z.string(), count: z.int() })), missing: z.int() }),
      ),
    })
    .parse(await explore('facets', { limit: 1000 }));
  const totalOf = async (filter: object): Promise<number> => {
    const answer = await api.get(`/public/dataset?limit=1&${queryOf({ filter })}`);
    return z.object({ total: z.int() }).parse(answer.json).total;
  };
  for (const [key, { values, missing }] of Object.entries(facets)) {
    for (const { value, count } of [...values.slice(0, 3), ...values.slice(-1)]) {
      expect([key, value, await totalOf({ [key]: `=${value}` })]).toEqual([key, value, count]);
    }
    expect([key, await totalOf({ [key]: '=' })]).toEqual([key, missing]);
  }
  const either = records.filter(({ categories }) =>
    categories.polymer.some((name) => name === 'PVDF' || name === 'PVA'),
  );
  expect(await totalOf({ polymer: '=PVDF|PVA' })).toBe(either.length);
  expect(await explore('statistics', { features: 'voltage', filter: { polymer: '=PVDF|PVA' } })).toMatchObject({
    total: either.length,
  });
  const exported = await api.get(`/public/dataset/export?format=json&${queryOf({ filter: { polymer: '=PVA|PVDF' } })}`);
  expect(z.array(z.unknown()).parse(exported.json)).toHaveLength(either.length);
  const explained = await api.get(`/public/dataset?explain=true&${queryOf({ filter: { polymer: '=PVDF' } })}`);
  expect(explained.json).toMatchObject({
    conditions: [{ key: 'polymer', meaning: '`polymer` is exactly "PVDF".', values: ['PVDF'] }],
  });
  for (const polymer of ['=PVA|', '=a\\b']) {
    expectError(await api.get(`/public/dataset/facets?${queryOf({ filter: { polymer } })}`), 400, 'INVALID_FILTER');
  }
});

const valuesOf = (name: 'voltage' | 'tipDist' | 'fiberDiameter'): number[] =>
  records.flatMap((record) => record[name] ?? []).sort((a, b) => a - b);

/** Linear interpolation between the sorted values around a quantile. */
function quantile(sorted: readonly number[], share: number): unknown {
  const rank = (sorted.length - 1) * share;
  const [low = NaN, high = NaN] = [sorted[Math.floor(rank)], sorted[Math.ceil(rank)]];
  return expect.closeTo(low + (high - low) * (rank - Math.floor(rank)), 8);
}

test('statistics equal those of the values', async () => {
  const sorted = valuesOf('fiberDiameter');
  const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
  const variance = sorted.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (sorted.length - 1);
  expect(await explore('statistics', { features: 'fiberDiameter' })).toEqual({
    total: 809,
    version: 'latest',
    statistics: {
      fiberDiameter: {
        unit: 'nm',
        count: sorted.length,
        missing: 809 - sorted.length,
        notConvertible: 0,
        min: quantile(sorted, 0),
        q05: quantile(sorted, 0.05),
        q25: quantile(sorted, 0.25),
        median: quantile(sorted, 0.5),
        q75: quantile(sorted, 0.75),
        q95: quantile(sorted, 0.95),
        max: quantile(sorted, 1),
        mean: expect.closeTo(mean, 8),
        standardDeviation: expect.closeTo(Math.sqrt(variance), 8),
      },
    },
  });
  const all = z.object({ statistics: z.record(z.string(), z.unknown()) }).parse(await explore('statistics'));
  expect(Object.keys(all.statistics)).toHaveLength(23);
});

test("a histogram counts the values in each bin, regardless of the filter's range for the feature", async () => {
  const values = valuesOf('voltage');
  const edges = [5, 10, 15, 20, 25];
  const counts = edges
    .slice(1)
    .map((end, at) => values.filter((value) => value >= end - 5 && (at === 3 ? value <= end : value < end)).length);
  const parameters = { feature: 'voltage', bins: 4, min: 5, max: 25, filter: { voltageMin: 12 } };
  expect(await explore('histogram', parameters)).toEqual({
    feature: 'voltage',
    unit: 'kV',
    scale: 'linear',
    total: 809,
    edges,
    counts,
    missing: 809 - values.length,
    notConvertible: 0,
    below: values.filter((value) => value < 5).length,
    above: values.filter((value) => value > 25).length,
    nonPositive: 0,
  });
});

test('coverage counts the reported features of each polymer', async () => {
  const counts = countsOf(records.flatMap(({ categories }) => categories.polymer));
  const answer = z
    .object({
      distinct: z.int(),
      rows: z.array(z.object({ value: z.string(), count: z.int(), filled: z.looseObject({}) })),
    })
    .parse(await explore('coverage', { limit: 5 }));
  expect(answer.distinct).toBe(counts.length);
  for (const [at, { value, count, filled }] of answer.rows.entries()) {
    expect({ value, count }).toEqual(counts[at]);
    const own = records.filter(({ categories }) => categories.polymer.includes(value));
    expect(filled).toMatchObject({
      voltage: own.filter(({ voltage }) => voltage !== undefined).length,
      fiberDiameter: own.filter(({ fiberDiameter }) => fiberDiameter !== undefined).length,
      polymer: count,
      doi: own.filter(({ categories }) => categories.doi.length > 0).length,
    });
  }
});

test('a grid contains every record with both values once', async () => {
  const placed = records.filter(({ voltage, tipDist }) => voltage !== undefined && tipDist !== undefined);
  const answer = z
    .object({
      placed: z.int(),
      x: z.object({ edges: z.array(z.number()) }),
      y: z.object({ edges: z.array(z.number()) }),
      cells: z.array(z.object({ i: z.int(), j: z.int(), count: z.int(), papers: z.int(), stable: z.int() })),
      excluded: z.array(z.object({ count: z.int() })),
    })
    .parse(await explore('grid', { x: 'voltage', y: 'tipDist', xBins: 5, yBins: 4, explain: 'true' }));
  expect([answer.placed, answer.x.edges.length, answer.y.edges.length]).toEqual([placed.length, 6, 5]);
  expect(answer.excluded.reduce((sum, { count }) => sum + count, answer.placed)).toBe(809);
  const isIn = (edges: readonly number[], bin: number, value = NaN): boolean => {
    const [start = NaN, end = NaN] = [edges[bin], edges[bin + 1]];
    return value >= start && (bin === edges.length - 2 ? value <= end : value < end);
  };
  for (const { i, j, count, papers, stable } of answer.cells) {
    const own = placed.filter(
      ({ voltage, tipDist }) => isIn(answer.x.edges, i, voltage) && isIn(answer.y.edges, j, tipDist),
    );
    const dois = new Set(own.flatMap(({ categories }) => categories.doi));
    const stableOnes = own.filter(({ categories }) => categories.isFormationStable.includes('yes'));
    expect([i, j, count, papers, stable]).toEqual([i, j, own.length, dois.size, stableOnes.length]);
  }
  expect(answer.cells.reduce((sum, { count }) => sum + count, 0)).toBe(placed.length);
});

test('points contain the values of each record', async () => {
  const placed = records.filter(({ voltage, fiberDiameter }) => voltage !== undefined && fiberDiameter !== undefined);
  expect(await explore('points', { x: 'voltage', y: 'fiberDiameter', color: 'solventSystem' })).toEqual({
    total: 809,
    placed: placed.length,
    sampled: false,
    recordId: placed.map(({ recordId }) => recordId),
    x: placed.map(({ voltage }) => voltage),
    y: placed.map(({ fiberDiameter }) => fiberDiameter),
    color: placed.map(({ categories }) => [...categories.solvent].sort().join('–') || null),
  });
});

test('the nearest experiments have the requested polymer, are sorted by distance, and list their differences', async () => {
  const recipe = { polymer: 'pvdf', voltage: 15, fiberDiameter: 300 };
  const { total, neighbors, reliability, fiberDiameter } = z
    .object({
      total: z.int(),
      neighbors: z.array(
        z.object({
          recordId: z.int(),
          distance: z.number(),
          parts: z.record(z.string(), z.object({ distance: z.number(), missing: z.boolean(), value: z.unknown() })),
          fiberDiameter: z.number().nullable(),
        }),
      ),
      reliability: z.object({ polymer: z.literal('PVDF'), papers: z.int(), records: z.int() }).loose(),
      fiberDiameter: z.object({ count: z.int() }).loose(),
    })
    .parse(await explore('nearest', { recipe, k: 10, exclude: 1 }));
  const candidates = records.filter(
    ({ recordId, categories }) => recordId !== 1 && categories.polymer.includes('PVDF'),
  );
  expect([total, neighbors.length]).toEqual([candidates.length, 10]);
  const diameters = valuesOf('fiberDiameter');
  // Features that span more than a decade in the demo are compared on a log scale.
  const isLog = (diameters.at(-1) ?? 0) > 10 * (diameters[0] ?? 0);
  expect(isLog).toBe(true);
  for (const [at, { recordId, distance, parts, fiberDiameter: diameter }] of neighbors.entries()) {
    const record = candidates.find((one) => one.recordId === recordId);
    expect([recordId, record?.fiberDiameter ?? null]).toEqual([recordId, diameter]);
    expect(Object.keys(parts)).toEqual(['voltage', 'fiberDiameter', 'polymer']);
    const distances = Object.values(parts).map((part) => part.distance);
    expect(distance).toBeCloseTo(distances.reduce((sum, one) => sum + one, 0) / 3, 10);
    expect(distance).toBeGreaterThanOrEqual(neighbors[at - 1]?.distance ?? 0);
    expect(parts['polymer']?.value).toEqual(record?.categories.polymer);
  }
  expect(fiberDiameter.count).toBe(neighbors.filter((one) => one.fiberDiameter !== null).length);
  expect(reliability.papers).toBeGreaterThan(2);
});

test('with explain=true, the excluded and included records add up to the result of the filter', async () => {
  const counted = z.object({
    total: z.int(),
    placed: z.int().optional(),
    excluded: z.array(z.object({ reason: z.string(), feature: z.string().optional(), count: z.int().min(1) })),
  });
  const filter = { voltageMin: 12 };
  const matching = records.filter(({ voltage }) => voltage !== undefined && voltage >= 12);
  for (const [name, parameters] of [
    ['grid', { x: 'tensileStrength', y: 'fiberDiameter', yScale: 'log', yMin: 200 }],
    ['points', { x: 'humidity', y: 'fiberDiameter' }],
    ['nearest', { recipe: { polymer: 'PVDF', voltage: 15 }, exclude: matching[0]?.recordId ?? 0 }],
  ] as const) {
    const answer = counted.parse(await explore(name, { ...parameters, filter, explain: 'true' }));
    const shown = answer.placed ?? answer.total;
    expect([name, answer.excluded.length]).not.toEqual([name, 0]);
    const sum = answer.excluded.reduce((all, { count }) => all + count, shown);
    expect([name, sum]).toEqual([name, matching.length]);
    expect(await explore(name, { ...parameters, filter })).not.toHaveProperty('excluded');
  }
});

describe.each([
  ['summary', ''],
  ['facets', ''],
  ['statistics', ''],
  ['histogram', 'feature=voltage'],
  ['coverage', ''],
  ['grid', 'x=voltage&y=tipDist'],
  ['points', 'x=voltage&y=tipDist'],
  ['nearest', 'recipe={"polymer":["PVDF"],"voltage":15}'],
])('%s', (name, parameters) => {
  test('exists for the latest dataset and its releases, and supports HEAD', async () => {
    for (const base of BASES) {
      const answer = await api.get(`${base}/${name}?${parameters}`);
      expect([base, answer.status]).toEqual([base, 200]);
      const isVersion = base.endsWith('v1.0.0');
      expect(answer.headers.get('cache-control')).toBe(isVersion ? 'public, max-age=86400' : 'no-cache');
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      const head = await api.head(`${base}/${name}?${parameters}`);
      expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', answer.headers.get('etag')]);
    }
  });

  test('returns 304 to a client with the current response', async () => {
    const path = `/public/dataset/${name}?${parameters}`;
    const tag = (await api.get(path)).headers.get('etag') ?? '';
    const again = await api.get(path, { headers: { 'if-none-match': tag } });
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', tag]);
  });

  test('rejects an unknown version, filter, or parameter', async () => {
    const at = (path: string) => api.get(`/public/dataset/${path}`);
    const and = parameters === '' ? '' : `&${parameters}`;
    expectError(await at(`v9.9.9/${name}?${parameters}`), 404, 'VERSION_NOT_FOUND', /v9\.9\.9/);
    expectError(await at(`10.1234/none/${name}?${parameters}`), 404, 'VERSION_NOT_FOUND', /"10\.1234\/none"/);
    expectError(
      await at(`${name}?filter={"polymr":"PVA"}${and}`),
      400,
      'INVALID_FILTER',
      /"polymr"; nearest: "polymer"/,
    );
    expectError(await at(`${name}?skip=1${and}`), 400, 'INVALID_PARAMETER', /"skip"/);
    expectError(await at(`${name}?filter={}&filter={}${and}`), 400, 'INVALID_PARAMETER', /more than once/);
  });
});

test.each([
  ['facets?keys=polymers', /`keys` must be a comma-separated list of categories .* "polymer"/],
  ['facets?keys=voltage', /`keys` must be a comma-separated list of categories/],
  ['facets?limit=0', /1 to 1000/],
  ['statistics?features=volts', /the nearest to "volts" is "voltage"/],
  ['statistics?features=voltage,voltage', /"voltage" is repeated/],
  ['facets?tried=yes', /`tried` must be true or false, got "yes"/],
  ['grid?x=voltage&y=tipDist&tried=1', /`tried` must be true or false, got "1"/],
  ['grid?x=voltage&y=tipDist&tried=true&tried=true', /`tried` appears more than once/],
  ['statistics?perPaper=', /`perPaper` must be true or false/],
  ['summary?tried=true', /Unknown query parameter "tried"/],
  ['histogram', /`feature` is required/],
  ['histogram?feature=tip_collector_distance', /"tipDist"/],
  ['histogram?feature=voltage&bins=0', /`bins` must be an integer from 1 to 200/],
  ['histogram?feature=voltage&bins=201', /`bins`/],
  ['histogram?feature=voltage&scale=ln', /`scale` must be linear or log/],
  ['histogram?feature=voltage&min=10&max=10', /`min` \(10\) must be below `max` \(10\)/],
  ['histogram?feature=voltage&min=0&scale=log', /`min` must be above 0/],
  ['histogram?feature=voltage&min=1e999', /`min` must be a finite decimal number/],
  ['coverage?by=polymers', /`by` must be a category.*"polymer"/],
  ['coverage?limit=1001', /`limit`/],
  ['grid?x=voltage', /`y` is required/],
  ['grid?x=voltage&y=voltage', /must be two features/],
  ['grid?x=voltage&y=tipDist&xBins=101', /`xBins` must be an integer from 1 to 100/],
  ['grid?x=voltage&y=tipDist&yMin=2&yMax=1', /`yMin` \(2\) must be below `yMax` \(1\)/],
  ['points?x=voltage&y=diameter', /`y` must be a feature/],
  ['points?x=voltage&y=tipDist&color=solvents', /`color` must be .*"solvent/],
  ['points?x=voltage&y=tipDist&limit=20001', /`limit` must be an integer from 1 to 20000/],
  ['nearest', /`recipe` is required/],
  ['nearest?recipe=[1]', /`recipe` must be a JSON object/],
  ['nearest?recipe={', /`recipe` must be a JSON object/],
  ['nearest?recipe={}', /at least one key/],
  ['nearest?recipe={"volts":1}', /the nearest to "volts" is "voltage"/],
  ['nearest?recipe={"voltage":"15"}', /a finite number as "voltage"/],
  ['nearest?recipe={"polymer":[]}', /a name or an array of names as "polymer"/],
  [
    'nearest?recipe={"voltage":15,"voltage":20}',
    /`recipe` must have each key once \("voltage" appears more than once\)/,
  ],
  ['nearest?recipe={"polymer":"PVDFF"}', /the polymer "PVDFF" is not known; nearest: PVDF/],
  ['nearest?recipe={"fiberDiameter":-1}', /must be above 0/],
  ['nearest?recipe={"voltage":15}&k=101', /`k` must be an integer from 1 to 100/],
  ['nearest?recipe={"voltage":15}&exclude=x', /`exclude`/],
  ['points?x=voltage&y=tipDist&nulls=yes', /`nulls` must be true or false/],
])('%s is rejected', async (path, message) => {
  expectError(await api.get(`/public/dataset/${path}`), 400, 'INVALID_PARAMETER', message);
});
