import { describe, expect, test } from '@jest/globals';
import { sharedStack } from '@esd/testing/shared-stack';
import { z } from 'zod';
import { categoryKeys, features } from '@esd/record/filter/filter-keys';
import { apiAt } from './support/api.ts';
import { csvTable } from './support/csv-table.ts';
import { expectError } from './support/errors.ts';

const api = apiAt((await sharedStack()).url);
const BASES = ['/public/dataset', '/public/dataset/latest', '/public/dataset/v1.0.0', '/api/public/dataset'];

type Parameters = Readonly<Record<string, string | number | object>>;

async function explore(name: string, parameters: Parameters = {}): Promise<unknown> {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) {
    query.set(key, typeof value === 'object' ? JSON.stringify(value) : String(value));
  }
  const answer = await api.get(`/public/dataset/${name}?${query.toString()}`);
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return answer.json;
}

const THIN = { polymer: '=PVDF', fiberDiameterMax: 500 };
const SETTINGS = { voltage: 15, flowRate: 1, tipDist: 15, concentration: 12 };

// The tests of dataset-svc compare the analyses with an independent computation. These values are those of the demo.
describe('an analysis has each of its parameters', () => {
  test.each<[name: string, parameters: Parameters, expected: object]>([
    [
      'facets',
      { keys: 'polymer,collectorType', limit: 1, filter: { polymer: 'pvdf', voltageMin: 15 } },
      { total: 200, facets: { polymer: { distinct: 12 }, collectorType: { values: [{ count: 113 }], distinct: 2 } } },
    ],
    [
      'facets',
      { keys: 'collectorType', limit: 1, tried: 'true', filter: THIN },
      { total: 173, tried: 351, facets: { collectorType: { values: [{ count: 87, tried: 142 }] } } },
    ],
    [
      'statistics',
      { features: 'fiberDiameter', perPaper: 'true', filter: { polymer: '=PVDF|PVA' } },
      {
        total: 492,
        statistics: { fiberDiameter: { count: 460, median: 335.6, perPaper: { papers: 35, median: 451 } } },
      },
    ],
    [
      'histogram',
      { feature: 'voltage', bins: 4, min: 5, max: 25, filter: { voltageMin: 12 } },
      { edges: [5, 10, 15, 20, 25], counts: [75, 149, 303, 227], above: 55 },
    ],
    ['coverage', { by: 'collectorType', limit: 1 }, { distinct: 3, rows: [{ value: 'Flat', count: 524 }] }],
    [
      'grid',
      {
        ...{ x: 'voltage', y: 'fiberDiameter', xBins: 2, yBins: 1, yScale: 'log', yMin: 200, yMax: 1000 },
        ...{ explain: 'true', tried: 'true', filter: THIN },
      },
      {
        x: { edges: [5, 27.5, 50] },
        y: { scale: 'log', edges: [200, 1000] },
        ...{ total: 173, placed: 104, tried: { total: 351, placed: 218 } },
        cells: [{ count: 102, tried: { count: 205 } }, { count: 2 }],
        excluded: [{ reason: 'outside', feature: 'fiberDiameter', count: 69 }],
      },
    ],
    [
      'points',
      {
        x: 'humidity',
        y: 'fiberDiameter',
        color: 'solventSystem',
        limit: 3,
        explain: 'true',
        filter: '{"polymer":"=PVDF"}',
      },
      {
        ...{ total: 351, recordId: [355, 531, 595], color: ['ACETONE–DMAC', 'ACETONE–DMF', 'DMF'] },
        excluded: [{ reason: 'missing', feature: 'fiberDiameter', count: 32 }],
      },
    ],
    ['points', { x: 'humidity', y: 'fiberDiameter', nulls: 'true', limit: 3 }, { total: 809, y: [278, null, 343.5] }],
    [
      'summary',
      { filter: THIN },
      { total: 173, tried: { total: 351 }, cannotMatch: [{ key: 'fiberDiameter', count: 32 }] },
    ],
  ])('%s of all records with %j', async (name, parameters, expected) => {
    expect(await explore(name, { ...parameters, repeats: 'all' })).toMatchObject(expected);
  });

  test('nearest has the requested polymer, the differences of the neighbors, and an interval', async () => {
    const nearest = z.looseObject({
      total: z.int(),
      neighbors: z.array(z.looseObject({ recordId: z.int() })),
      paperMedian: z.object({ papers: z.int(), q25: z.number(), median: z.number(), q75: z.number() }),
      interval80: z.object({ low: z.number(), high: z.number() }).nullable(),
      reliability: z.looseObject({ polymer: z.literal('PVDF'), factor80: z.number() }),
    });
    const ask = async (parameters: Parameters) => nearest.parse(await explore('nearest', parameters));
    const few = { recipe: { polymer: 'pvdf', voltage: 15, tipDist: 15 }, k: 2, explain: 'true', repeats: 'all' };
    const same = { value: 15, distance: 0, missing: false };
    const parts = { voltage: same, tipDist: same, polymer: { value: ['PVDF'], distance: 0, missing: false } };
    expect(await ask({ ...few, exclude: 379 })).toMatchObject({
      total: 350,
      neighbors: [
        { recordId: 388, distance: 0, parts, fiberDiameter: 495 },
        { distance: 0, parts },
      ],
      excluded: [
        { reason: 'polymer', count: 458 },
        { reason: 'excluded', count: 1 },
      ],
    });
    const recipe = { polymer: 'PVDF', ...SETTINGS };
    const { paperMedian, interval80, reliability } = await ask({ recipe });
    expect(reliability.factor80).toBeCloseTo(3.6, 1);
    expect(interval80?.low).toBeCloseTo(paperMedian.median / reliability.factor80, 6);
    expect(interval80?.high).toBeCloseTo(paperMedian.median * reliability.factor80, 6);
    expect((await ask({ recipe, repeats: 'all' })).reliability.factor80).toBeCloseTo(3.8, 1);
    expect(await ask({ recipe, k: 20, filter: { isFormationStable: 'yes' } })).toMatchObject({ interval80: null });
  });
});

test('without parameters, facets and statistics have every key', async () => {
  const { facets } = z.looseObject({ facets: z.record(z.string(), z.unknown()) }).parse(await explore('facets'));
  const { statistics } = z
    .looseObject({ statistics: z.record(z.string(), z.unknown()) })
    .parse(await explore('statistics'));
  expect([Object.keys(facets), Object.keys(statistics)]).toEqual([
    categoryKeys,
    features.map(({ feature }) => feature),
  ]);
});

test('a filter by exact values applies to pages, analyses and files, and "=" to records without a value', async () => {
  const query = (filter: object): string => `filter=${encodeURIComponent(JSON.stringify(filter))}`;
  const total = async (filter: object): Promise<unknown> =>
    z.looseObject({ total: z.int() }).parse((await api.get(`/public/dataset?limit=1&${query(filter)}`)).json).total;
  const either = { polymer: '=PVDF|PVA' };
  expect([await total(either), await total({ year: '=' }), await total({ polymer: '=' })]).toEqual([492, 471, 0]);
  const exported = await api.get(`/public/dataset/export?format=json&${query(either)}`);
  expect(z.array(z.unknown()).parse(exported.json)).toHaveLength(492);
  const explained = await api.get(`/public/dataset?explain=true&${query({ polymer: '=PVDF' })}`);
  expect(explained.json).toMatchObject({
    conditions: [{ key: 'polymer', meaning: '`polymer` is exactly "PVDF".', values: ['PVDF'] }],
  });
  expectError(await api.get(`/public/dataset/facets?${query({ polymer: '=PVA|' })}`), 400, 'INVALID_FILTER');
});

test.each([
  ['facets', '', 'tried'],
  ['grid', 'x=voltage&y=tipDist', 'tried'],
  ['statistics', '', 'perPaper'],
])('%s with %s has another tag with `%s`, which is false by default', async (name, parameters, parameter) => {
  const path = `/public/dataset/${name}?filter={"fiberDiameterMax":500}&${parameters}`;
  const plain = await api.get(path);
  expect(plain.text).not.toMatch(/"tried"|"perPaper"/);
  const off = await api.get(`${path}&${parameter}=false`);
  expect([off.text, off.headers.get('etag')]).toEqual([plain.text, plain.headers.get('etag')]);
  const on = await api.get(`${path}&${parameter}=true`);
  expect([on.status, on.headers.get('etag') === plain.headers.get('etag')]).toEqual([200, false]);
});

test.each([
  ['summary', ''],
  ['facets', ''],
  ['statistics', ''],
  ['histogram', 'feature=voltage'],
  ['coverage', ''],
  ['grid', 'x=voltage&y=tipDist'],
  ['points', 'x=voltage&y=tipDist'],
  ['nearest', 'recipe={"polymer":["PVDF"],"voltage":15}'],
])('%s exists for the latest dataset and its releases, supports HEAD and revalidates', async (name, parameters) => {
  for (const base of BASES) {
    const path = `${base}/${name}?${parameters}`;
    const answer = await api.get(path);
    expect([base, answer.status]).toEqual([base, 200]);
    const isVersion = base.endsWith('v1.0.0');
    expect(answer.headers.get('cache-control')).toBe(isVersion ? 'public, max-age=86400' : 'no-cache');
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.text).not.toContain('"excluded"');
    const tag = answer.headers.get('etag') ?? '';
    const head = await api.head(path);
    expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', tag]);
    const again = await api.get(path, { headers: { 'if-none-match': tag } });
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', tag]);
  }
  const unknown = await api.get(`/public/dataset/10.1234/none/${name}?${parameters}`);
  expectError(unknown, 404, 'VERSION_NOT_FOUND', /"10\.1234\/none"/);
  const filtered = await api.get(`/public/dataset/${name}?filter={"polymr":"PVA"}&${parameters}`);
  expectError(filtered, 400, 'INVALID_FILTER', /"polymr"; nearest: "polymer"/);
});

test.each([
  ['statistics?features=volts', /the nearest to "volts" is "voltage"/],
  ['statistics?features=voltage,voltage', /"voltage" is repeated/],
  ['facets?tried=yes', /`tried` must be true or false, got "yes"/],
  ['statistics?perPaper=', /`perPaper` must be true or false/],
  ['summary?tried=true', /Unknown query parameter "tried"/],
  ['histogram', /`feature` is required/],
  ['histogram?feature=tip_collector_distance', /"tipDist"/],
  ['histogram?feature=voltage&bins=0', /`bins` must be an integer from 1 to 200/],
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

describe('/metadata/features', () => {
  const shape = z.object({
    total: z.literal(809),
    version: z.literal('latest'),
    features: z.array(
      z.looseObject({ key: z.string(), type: z.string(), column: z.string().nullable(), label: z.string() }),
    ),
  });

  test('describes each key, with the column of its values in files', async () => {
    const { features: keys } = shape.parse((await api.get('/metadata/features')).json);
    const numbers = keys.filter(({ type }) => type === 'number');
    expect([keys.length, numbers.length]).toEqual([features.length + categoryKeys.length, features.length]);
    const [row = {}] = csvTable((await api.get('/public/dataset/export?format=csv&normalized=true')).text);
    const { normalized } = z
      .looseObject({ normalized: z.record(z.string(), z.number()) })
      .parse((await api.get('/public/dataset/records/1')).json);
    for (const { key, column } of numbers) {
      expect([key, row[column ?? '']]).toEqual([key, String(normalized[key] ?? '')]);
    }
    const find = (key: string) => keys.find((one) => one.key === key);
    expect(find('solventBoilingPoint')).toMatchObject({ count: 466, notConvertible: 343, kind: 'setting', unit: '°C' });
    expect(find('tipDist')).toMatchObject({
      label: 'Tip–collector distance',
      group: 'process',
      range: { min: 2, max: 50 },
    });
    expect(find('wettability')).toMatchObject({ label: 'Contact angle', kind: 'result', count: 0, range: null });
    expect(find('collectorType')).toMatchObject({ type: 'category', count: 809, distinct: 3, unit: null });
  });

  test('is revalidated by an ETag of the state, and takes no parameters', async () => {
    const answer = await api.get('/metadata/features');
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    const headers = { 'if-none-match': answer.headers.get('etag') ?? '' };
    expect((await api.get('/metadata/features', { headers })).status).toBe(304);
    expect((await api.get('/metadata/features?version=v1.0.0')).status).toBe(400);
    expect((await api.head('/metadata/features')).headers.get('etag')).toBe(headers['if-none-match']);
  });
});
