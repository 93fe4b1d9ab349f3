import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { leaseStack } from '@esd/testing/leased-stack';
import { runs as propertyRuns } from '@esd/testing/property-runs';
import { anonymousSubmitter } from '@esd/testing/records';
import { sharedStack } from '@esd/testing/shared-stack';
import type { TestStack } from '@esd/testing/stack';
import { login } from './support/admin.ts';
import { type Api, apiAt } from './support/api.ts';
import {
  byPaper,
  COLUMNS,
  matchingRuns,
  numbersOf,
  type PlainFilter,
  quantile,
  readRuns,
  resultsOf,
  type Run,
  triedOf,
} from './support/csv-runs.ts';
import { submitRecords, untilPublic } from './support/dataset.ts';
import { newStaff } from './support/staff.ts';

const demo = apiAt((await sharedStack()).url);
let runs: Run[];
beforeAll(async () => {
  runs = await readRuns(demo);
  expect(runs).toHaveLength(809);
});

type Parameters = Readonly<Record<string, string | number | object>>;

async function explore(api: Api, name: string, parameters: Parameters = {}): Promise<unknown> {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) {
    query.set(key, typeof value === 'object' ? JSON.stringify(value) : String(value));
  }
  const answer = await api.get(`/public/dataset/${name}?${query.toString()}`);
  if (answer.status !== 200) throw new Error(`${name}?${query.toString()}: ${answer.status} ${answer.text}`);
  return answer.json;
}

const close = (value: number | null): unknown => (value === null ? null : expect.closeTo(value, 6));

const quartiles = (values: readonly number[]) => ({
  q25: close(quantile(values, 0.25)),
  median: close(quantile(values, 0.5)),
  q75: close(quantile(values, 0.75)),
});

const countStable = (own: readonly Run[], value?: string): number =>
  own.filter(({ texts }) => texts['isFormationStable']?.[0] === value).length;

const papersOf = (own: readonly Run[]): Set<string> => new Set(own.flatMap(({ doi }) => doi ?? []));

const countsOf = (own: readonly Run[]) => ({
  total: own.length,
  papers: papersOf(own).size,
  stable: { yes: countStable(own, 'yes'), no: countStable(own, 'no'), unknown: countStable(own) },
});

function summaryOf(all: readonly Run[], filter: PlainFilter) {
  const tried = matchingRuns(all, triedOf(filter));
  const failing = papersOf(all.filter((run) => countStable([run], 'no') > 0));
  return {
    version: 'latest',
    ...countsOf(matchingRuns(all, filter)),
    tried: {
      ...countsOf(tried),
      papersReportingFailures: [...papersOf(tried)].filter((doi) => failing.has(doi)).length,
    },
    cannotMatch: expect.arrayContaining(
      resultsOf(filter).map((key) => {
        const hasValue = ({ numbers, texts }: Run) => key in numbers || (texts[key] ?? []).length > 0;
        const without = filter[key] === '=' ? [] : tried.filter((run) => !hasValue(run));
        return { key, count: without.length, notStable: countStable(without, 'no') };
      }),
    ),
    repeats: { records: expect.any(Number), groups: expect.any(Number) },
  };
}

function facetOf(all: readonly Run[], filter: PlainFilter, key: string) {
  const { [key]: _, ...others } = filter;
  const [matching, tried] = [matchingRuns(all, others), matchingRuns(all, triedOf(others))];
  const countOf = (own: readonly Run[], value: string): number =>
    own.filter(({ texts }) => texts[key]?.includes(value)).length;
  const values = [...new Set(tried.flatMap(({ texts }) => texts[key] ?? []))]
    .map((value) => ({ value, count: countOf(matching, value), tried: countOf(tried, value) }))
    // Every text of the demo is in the basic multilingual plane.
    .sort((a, b) => b.count - a.count || b.tried - a.tried || (a.value < b.value ? -1 : 1));
  const missing = matching.filter(({ texts }) => (texts[key] ?? []).length === 0).length;
  return { values, distinct: values.length, missing };
}

const cellShape = z.object({ i: z.int(), j: z.int(), tried: z.object({ count: z.int() }).loose() }).loose();
const gridShape = z
  .object({
    x: z.object({ edges: z.array(z.number()) }).loose(),
    y: z.object({ edges: z.array(z.number()) }).loose(),
    cells: z.array(cellShape),
  })
  .loose();

function expectGrid(
  answer: unknown,
  all: readonly Run[],
  filter: PlainFilter,
  [x, y]: readonly [string, string],
  xMin?: number,
): void {
  const isPlaced = ({ numbers }: Run): boolean =>
    x in numbers && y in numbers && (xMin === undefined || (numbers[x] ?? NaN) >= xMin);
  const [matching, tried] = [matchingRuns(all, filter), matchingRuns(all, triedOf(filter))];
  const [placed, triedPlaced] = [matching.filter(isPlaced), tried.filter(isPlaced)];
  const grid = gridShape.parse(answer);
  expect(grid).toMatchObject({
    total: matching.length,
    placed: placed.length,
    tried: { total: tried.length, placed: triedPlaced.length },
  });
  const edges = [grid.x.edges, grid.y.edges] as const;
  if (triedPlaced.length > 0) {
    const [ofX, ofY] = [numbersOf(triedPlaced, x), numbersOf(triedPlaced, y)];
    expect([edges[0][0], edges[0].at(-1)]).toEqual([xMin ?? Math.min(...ofX), Math.max(...ofX)]);
    expect([edges[1][0], edges[1].at(-1)]).toEqual([Math.min(...ofY), Math.max(...ofY)]);
  }
  const isIn = (axis: readonly number[], bin: number, value = NaN): boolean =>
    axis.length === 2 && axis[0] === axis[1]
      ? value === axis[0]
      : value >= (axis[bin] ?? NaN) &&
        (bin === axis.length - 2 ? value <= (axis[bin + 1] ?? NaN) : value < (axis[bin + 1] ?? NaN));
  const describe = (own: readonly Run[]) => ({
    count: own.length,
    papers: papersOf(own).size,
    stable: countStable(own, 'yes'),
    unstable: countStable(own, 'no'),
  });
  for (const { i, j, ...cell } of grid.cells) {
    const inCell = ({ numbers }: Run) => isIn(edges[0], i, numbers[x]) && isIn(edges[1], j, numbers[y]);
    const own = placed.filter(inCell);
    const diameters = numbersOf(own, 'fiberDiameter');
    expect(cell).toEqual({
      ...describe(own),
      fiberDiameter: { count: diameters.length, ...quartiles(diameters) },
      tried: describe(triedPlaced.filter(inCell)),
    });
    expect(cell.tried.count).toBeGreaterThan(0);
  }
  expect(grid.cells.reduce((sum, { tried: { count } }) => sum + count, 0)).toBe(triedPlaced.length);
}

function perPaperOf(own: readonly Run[], feature: string) {
  const medians = [...byPaper(own).values()].flatMap((ofPaper) => quantile(numbersOf(ofPaper, feature), 0.5) ?? []);
  return { papers: medians.length, ...quartiles(medians) };
}

/** Compares all analyses of the tried records with a recomputation. */
async function expectEvidence(api: Api, all: readonly Run[], filter: PlainFilter): Promise<void> {
  const summary = await explore(api, 'summary', { filter });
  expect(summary).toEqual(summaryOf(all, filter));
  expect(summary).toMatchObject({ cannotMatch: { length: resultsOf(filter).length } });
  const keys = ['polymer', 'solvent', 'collectorType', 'morphology', 'isFormationStable', 'doi'];
  expect(await explore(api, 'facets', { filter, keys: keys.join(), limit: 1000, tried: 'true' })).toEqual({
    total: matchingRuns(all, filter).length,
    version: 'latest',
    tried: matchingRuns(all, triedOf(filter)).length,
    facets: Object.fromEntries(keys.map((key) => [key, facetOf(all, filter, key)])),
  });
  for (const [axes, xMin] of [
    [['voltage', 'tipDist'], undefined],
    [['voltage', 'tipDist'], 12],
    [['fiberDiameter', 'concentration'], undefined],
  ] as const) {
    const bounds = xMin === undefined ? {} : { xMin };
    // A single bound above all values leaves no bins.
    if (
      xMin !== undefined &&
      !matchingRuns(all, triedOf(filter)).some(({ numbers }) => (numbers['voltage'] ?? 0) > xMin)
    )
      continue;
    const parameters = { filter, x: axes[0], y: axes[1], xBins: 6, yBins: 4, tried: 'true', ...bounds };
    expectGrid(await explore(api, 'grid', parameters), all, filter, axes, xMin);
  }
  const features = ['voltage', 'concentration', 'fiberDiameter', 'solventBoilingPoint', 'wettability'];
  const own = matchingRuns(all, filter);
  expect(await explore(api, 'statistics', { filter, features: features.join(), perPaper: 'true' })).toMatchObject({
    total: own.length,
    statistics: Object.fromEntries(
      features.map((feature) => [
        feature,
        { count: numbersOf(own, feature).length, perPaper: perPaperOf(own, feature) },
      ]),
    ),
  });
}

const filters: fc.Arbitrary<PlainFilter> = fc
  .record(
    {
      polymer: fc.constantFrom('=PVDF', '=PVA', '=PVDF|PCL', '='),
      solvent: fc.constantFrom('=DMF', '='),
      collectorType: fc.constantFrom('=Rolling Drum', '='),
      voltageMin: fc.constantFrom(10, 15),
      tipDistMax: fc.constantFrom(12, 20),
      solventBoilingPointMin: fc.constantFrom(60, 150),
      isFormationStable: fc.constantFrom('=yes', '=no', '='),
      morphology: fc.constantFrom('=', '=Beaded'),
      fiberDiameterMin: fc.constantFrom(200),
      fiberDiameterMax: fc.constantFrom(500, 900),
      tensileStrengthMin: fc.constantFrom(1),
      status: fc.constantFrom('PUBLISHED'),
    },
    { requiredKeys: [] },
  )
  .map((filter) => Object.fromEntries(Object.entries(filter).slice(0, 4)));

test('the analyses of tried records and of papers equal a recomputation from the csv export', async () => {
  await fc.assert(
    fc.asyncProperty(filters, (filter) => expectEvidence(demo, runs, filter)),
    { numRuns: propertyRuns(60), examples: [[{}], [{ polymer: '=PVDF', fiberDiameterMax: 500 }]] },
  );
}, 120_000);

test('a filter by a result hides failed runs, and the summary counts them', async () => {
  const filter = { polymer: '=PVDF', fiberDiameterMax: 500 };
  expect(await explore(demo, 'summary', { filter })).toMatchObject({
    total: 173,
    papers: 18,
    stable: { yes: 173, no: 0 },
    tried: { total: 351, papers: 30, stable: { no: 32 } },
    cannotMatch: [{ key: 'fiberDiameter', count: 32, notStable: 32 }],
  });
  const { cells } = gridShape.parse(
    await explore(demo, 'grid', { filter, x: 'voltage', y: 'tipDist', xBins: 10, yBins: 7, tried: 'true' }),
  );
  expect([cells.length, cells.filter(({ count }) => count === 0).length]).toEqual([37, 17]);
  expect(await explore(demo, 'summary', { filter: { polymer: '=PVA' } })).toMatchObject({
    tried: { papers: 8, papersReportingFailures: 0 },
    cannotMatch: [],
  });
  expect(await explore(demo, 'summary', { filter, repeats: 'once' })).toMatchObject({
    total: 79,
    tried: { total: 190, papers: 30 },
  });
  for (const [repeats, total] of [
    ['all', 809],
    ['once', 648],
  ]) {
    const counts = { total, repeats: { records: 161, groups: 22 } };
    expect(await explore(demo, 'summary', { repeats: String(repeats) })).toMatchObject(counts);
  }
});

test('without a new parameter, and with its default, a response describes only the matching records', async () => {
  for (const [name, parameters, parameter] of [
    ['facets', '', 'tried'],
    ['grid', 'x=voltage&y=tipDist', 'tried'],
    ['statistics', '', 'perPaper'],
  ]) {
    const path = `/public/dataset/${name}?filter={"fiberDiameterMax":500}&${parameters}`;
    const plain = await demo.get(path);
    expect(plain.text).not.toMatch(/"tried"|"perPaper"/);
    const off = await demo.get(`${path}&${parameter}=false`);
    expect([off.text, off.headers.get('etag')]).toEqual([plain.text, plain.headers.get('etag')]);
    const on = await demo.get(`${path}&${parameter}=true`);
    expect([on.status, on.headers.get('etag') === plain.headers.get('etag')]).toEqual([200, false]);
  }
});

/** Returns the part of the distance of two runs by a feature of the recipe. */
function distanceBy(all: readonly Run[], feature: string): (a?: number, b?: number) => number {
  const values = numbersOf(all, feature);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const scale = low > 0 && high / low > 10 ? Math.log : (value: number) => value;
  const scaled = values.map(scale);
  const spread = (quantile(scaled, 0.75) ?? 0) - (quantile(scaled, 0.25) ?? 0);
  return (a, b) => {
    if (a === undefined || b === undefined) return 1;
    if (a === b) return 0;
    return spread === 0 ? 1 : Math.abs(scale(a) - scale(b)) / spread;
  };
}

const nearestShape = z
  .object({
    neighbors: z.array(z.object({ recordId: z.int() }).loose()),
    byPaper: z.array(z.object({ median: z.number().nullable() }).loose()),
    paperMedian: z.object({ median: z.number().nullable() }).loose(),
    interval80: z.object({ low: z.number(), high: z.number() }).nullable(),
    reliability: z.object({ factor80: z.number().nullable() }).loose().nullable(),
  })
  .loose();

const FEATURES = ['voltage', 'flowRate', 'tipDist', 'concentration'];
const SETTINGS = { voltage: 15, flowRate: 1, tipDist: 15, concentration: 12 };

/** Computes `factor80` for a polymer of the dataset. */
function factorOf(all: readonly Run[], polymer: string, k: number): number | null {
  const pool = all.filter(
    ({ texts, numbers }) => texts['polymer']?.join() === polymer && (numbers['fiberDiameter'] ?? 0) > 0,
  );
  const papers = byPaper(pool);
  if (papers.size < 5) return null;
  const parts = FEATURES.map((feature) => ({ feature, distance: distanceBy(all, feature) }));
  const errors = pool.map((run) => {
    const near = pool
      .filter(({ doi }) => doi !== run.doi)
      .map((other) => ({
        other,
        // Summed in the order of the features, so that equal distances stay equal.
        distance: parts.reduce(
          (sum, { feature, distance }) => sum + distance(run.numbers[feature], other.numbers[feature]),
          0,
        ),
      }))
      .sort((a, b) => a.distance - b.distance || a.other.recordId - b.other.recordId)
      .slice(0, k)
      .map(({ other }) => other);
    const medians = [...byPaper(near).values()].map((own) => quantile(numbersOf(own, 'fiberDiameter'), 0.5) ?? NaN);
    const error = Math.abs(Math.log(quantile(medians, 0.5) ?? NaN) - Math.log(run.numbers['fiberDiameter'] ?? NaN));
    return { doi: run.doi, error, weight: 1 / (papers.get(run.doi)?.length ?? NaN) };
  });
  let weight = 0;
  for (const { error, weight: own } of errors.sort((a, b) => a.error - b.error)) {
    weight += own;
    if (weight >= (0.8 - 1e-9) * papers.size) return Math.exp(error);
  }
  return NaN;
}

/** Compares the papers of neighbors and the interval with a recomputation. Returns the factor. */
async function expectPapersOfNeighbors(api: Api, all: readonly Run[], parameters: Parameters, factor: number | null) {
  const {
    neighbors,
    byPaper: papers,
    paperMedian,
    interval80,
    reliability,
  } = nearestShape.parse(await explore(api, 'nearest', parameters));
  const found = neighbors.flatMap(({ recordId }) => all.find((run) => run.recordId === recordId) ?? []);
  expect(found).toHaveLength(neighbors.length);
  const expected = [...byPaper(found)].map(([doi, own]) => ({
    doi: doi ?? null,
    count: own.length,
    median: quantile(numbersOf(own, 'fiberDiameter'), 0.5),
    stable: countStable(own, 'yes'),
    unstable: countStable(own, 'no'),
  }));
  expect(papers).toEqual(expected.map((paper) => ({ ...paper, median: close(paper.median) })));
  const medians = expected.flatMap(({ median }) => median ?? []);
  expect(paperMedian).toEqual({ papers: medians.length, ...quartiles(medians) });
  expect(reliability?.factor80 ?? null).toEqual(close(factor));
  const median = quantile(medians, 0.5);
  const interval =
    factor === null || median === null ? null : { low: close(median / factor), high: close(median * factor) };
  return { interval80, interval, factor80: reliability?.factor80 };
}

test('the interval of the neighbors equals a recomputation from the csv export', async () => {
  for (const [polymer, k, rounded] of [
    ['PVDF', 20, 3.8],
    ['PVA', 20, 2.1],
    ['PVDF', 5, undefined],
    ['PAN', 20, undefined],
  ] as const) {
    const factor = factorOf(runs, polymer, k);
    const recipe = { polymer, ...SETTINGS };
    const ask = (parameters: Parameters) => expectPapersOfNeighbors(demo, runs, { k, recipe, ...parameters }, factor);
    const { interval80, interval, factor80 } = await ask({});
    expect(interval80).toEqual(interval);
    expect(interval === null).toBe(polymer === 'PAN');
    if (rounded !== undefined) expect(factor80).toBeCloseTo(rounded, 1);
    const ofSettings = await ask({ filter: { voltageMin: 10, status: 'PUBLISHED' } });
    expect(ofSettings.interval80).toEqual(ofSettings.interval);
    expect((await ask({ filter: { isFormationStable: 'yes' } })).interval80).toBeNull();
    expect((await ask({ recipe: { ...recipe, fiberDiameter: 300 } })).interval80).toBeNull();
  }
  const once = await explore(demo, 'nearest', { recipe: { polymer: 'PVDF', ...SETTINGS }, k: 20, repeats: 'once' });
  expect(nearestShape.parse(once).reliability?.factor80).toBeCloseTo(3.6, 1);
});

describe('/metadata/features', () => {
  const shape = z.object({
    total: z.literal(809),
    version: z.literal('latest'),
    features: z.array(
      z.object({ key: z.string(), type: z.string(), column: z.string().nullable(), label: z.string() }).loose(),
    ),
  });

  test('lists each key with its values in the latest dataset', async () => {
    const { features } = shape.parse((await demo.get('/metadata/features')).json);
    const columns = features.flatMap(({ key, type, column }) => (type === 'number' ? [[key, column] as const] : []));
    expect(Object.fromEntries(columns)).toEqual(COLUMNS);
    for (const { key, type, ...described } of features) {
      const values = numbersOf(runs, key);
      const texts = runs.map((run) => run.texts[key] ?? []);
      const expected =
        type === 'number'
          ? {
              count: values.length,
              distinct: null,
              range: values.length === 0 ? null : { min: Math.min(...values), max: Math.max(...values) },
            }
          : {
              count: texts.filter(({ length }) => length > 0).length,
              distinct: new Set(texts.flat()).size,
              ...{ unit: null, notConvertible: null, range: null },
            };
      expect({ key, ...described }).toMatchObject({ key, ...expected });
    }
    const find = (key: string) => features.find((one) => one.key === key);
    expect(find('solventBoilingPoint')).toMatchObject({ count: 466, notConvertible: 343, kind: 'setting', unit: '°C' });
    expect(find('tipDist')).toMatchObject({ label: 'Tip–collector distance', group: 'process', kind: 'setting' });
    expect(find('wettability')).toMatchObject({ label: 'Contact angle', group: 'properties', kind: 'result' });
  });

  test('is revalidated by an ETag of the state, and takes no parameters', async () => {
    const answer = await demo.get('/metadata/features');
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    const headers = { 'if-none-match': answer.headers.get('etag') ?? '' };
    expect((await demo.get('/metadata/features', { headers })).status).toBe(304);
    expect((await demo.get('/metadata/features?version=v1.0.0')).status).toBe(400);
    expect((await demo.head('/metadata/features')).headers.get('etag')).toBe(headers['if-none-match']);
  });
});

describe('records without a paper, blends, and unknown results', () => {
  let stack: TestStack;
  let api: Api;
  let all: Run[];
  const scope = `Spinneret ${randomUUID()}`;

  beforeAll(async () => {
    stack = await leaseStack('moderated');
    api = apiAt(stack.url);
    const { moderator } = await newStaff(stack, api);
    const bearer = await login(api, moderator);
    const record = (at: number) => ({
      ...(at % 3 === 0 ? {} : { researchMetadata: { doi: `10.1234/${scope.slice(-12)}.${at % 7}` } }),
      polymerProperty: {
        polymerComponents: [{ polymerName: 'PCL' }, ...(at % 5 === 0 ? [{ polymerName: 'PVA' }] : [])],
      },
      solventProperty: {
        solventComponents: [
          { solventName: 'DMF', ...(at % 4 === 0 && { volumeRatio: 3, volumeRatioUnit: 'v/v' }) },
          ...(at % 2 === 0
            ? [{ solventName: 'ACETONE', ...(at % 4 === 0 && { volumeRatio: 1, volumeRatioUnit: 'v/v' }) }]
            : []),
        ],
      },
      solutionProperty: { concentration: 6 + (at % 8), concentrationUnit: at % 9 === 0 ? 'g/L' : 'wt%' },
      needleProperty: { needleType: scope },
      processParameter: { voltage: 9 + (at % 11), voltageUnit: 'kV', tipCollectorDistance: 8 + (at % 6) },
      fiberProperty: {
        ...(at % 6 === 1 ? {} : { fiberDiameter: 120 + ((at * 67) % 900), fiberDiameterUnit: 'nm' }),
        ...(at % 5 === 2 ? {} : { isFormationStable: at % 6 !== 1 }),
      },
    });
    const recordIds = await submitRecords(api, {
      userMetadata: anonymousSubmitter,
      experimentData: Array.from({ length: 48 }, (_, at) => record(at)),
    });
    expect((await api.post('/moderation/approve', { recordIds }, { bearer })).status).toBe(200);
    await untilPublic(api, recordIds);
    all = await readRuns(api);
  });
  afterAll(() => stack.stop());

  test('count in the analyses as in a recomputation', async () => {
    const own = all.filter(({ texts }) => texts['needleType']?.includes(scope));
    expect([own.length, own.filter(({ doi }) => doi === undefined).length]).toEqual([48, 16]);
    for (const filter of [
      { fiberDiameterMax: 500 },
      { fiberDiameterMin: 300, isFormationStable: '=' },
      { isFormationStable: '=no', polymer: '=PVA' },
      { concentrationMax: 10, morphology: '=' },
      { voltageMin: 12, solventBoilingPointMin: 60, isFormationStable: 'yes', fiberDiameterMin: 200 },
    ]) {
      await expectEvidence(api, all, { needleType: `=${scope}`, ...filter });
    }
  });

  test('are one paper of the neighbors and of the interval', async () => {
    const recipe = { polymer: 'PCL', ...SETTINGS };
    const filter = { needleType: `=${scope}` };
    const factor = factorOf(all, 'PCL', 12);
    expect(factor).not.toBeNull();
    const { interval80, interval } = await expectPapersOfNeighbors(api, all, { recipe, filter, k: 12 }, factor);
    expect(interval80).toEqual(interval);
  });
});
