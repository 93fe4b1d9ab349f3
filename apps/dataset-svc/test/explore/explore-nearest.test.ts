import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import type { Filter } from '@esd/record/filter/filter';
import { features } from '@esd/record/filter/filter-keys';
import { runs } from '@esd/testing/property-runs';
import { hashOfId } from '../../src/explore/sample.ts';
import {
  filters,
  matching,
  openExplored,
  type PlainRecord,
  type PlainState,
  quantile,
  stateOf,
} from '../explored-dataset.ts';

let explored: Awaited<ReturnType<typeof openExplored>>;
beforeAll(async () => {
  explored = await openExplored('nearest');
});
afterAll(() => explored.close());

const names = ['voltage', 'tipDist', 'fiberDiameter', 'concentration', 'flowRate', 'wettability'] as const;
type Name = (typeof names)[number];

const stateAt = (at: number) => stateOf(explored.states, at);

const ofFeature = (records: readonly PlainRecord[], name: Name): number[] =>
  records.flatMap(({ values }) => values[name] ?? []);

/** Returns the distance function of a feature. */
function partOf(state: PlainState, name: Name): (a: number | undefined, b: number | undefined) => number {
  const values = ofFeature(state.records, name);
  const isLog = Math.min(...values) > 0 && Math.max(...values) / Math.min(...values) > 10;
  const scaled = isLog ? values.map(Math.log) : values;
  const spread = values.length === 0 ? 0 : quantile(scaled, 0.75) - quantile(scaled, 0.25);
  return (a, b) => {
    if (a === undefined || b === undefined) return 1;
    if (a === b) return 0;
    if (spread === 0) return 1;
    return Math.abs(isLog ? Math.log(a) - Math.log(b) : a - b) / spread;
  };
}

function setDistance(own: readonly string[], wanted: readonly string[]): number | undefined {
  const common = own.filter((name) => wanted.includes(name)).length;
  if (common === 0) return undefined;
  return common === own.length && common === wanted.length ? 0 : 0.5;
}

const answerShape = z.object({
  total: z.int(),
  neighbors: z.array(
    z.object({
      recordId: z.int(),
      distance: z.number(),
      parts: z.record(z.string(), z.unknown()),
      doi: z.string().nullable(),
    }),
  ),
  fiberDiameter: z.object({ count: z.int() }),
  stable: z.object({ yes: z.int(), no: z.int(), unknown: z.int() }),
  byPaper: z.unknown(),
  paperMedian: z.unknown(),
  interval80: z.unknown(),
  reliability: z.unknown(),
  excluded: z.array(z.object({ count: z.int() })),
});

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

interface Paper {
  doi: string | null;
  count: number;
  median: number | null;
  stable: number;
  unstable: number;
}

/** Describes papers in the order of their first records. All records without a DOI are one paper. */
function papersOf(records: readonly PlainRecord[]): Paper[] {
  const papers = Map.groupBy(records, ({ categories }) => categories.doi[0] ?? null);
  return [...papers].map(([doi, own]) => {
    const diameters = ofFeature(own, 'fiberDiameter');
    const countOf = (value: string) => own.filter(({ categories }) => categories.isFormationStable[0] === value).length;
    const median = diameters.length === 0 ? null : quantile(diameters, 0.5);
    return { doi, count: own.length, median, stable: countOf('yes'), unstable: countOf('no') };
  });
}

function quartilesOfMedians(papers: readonly Paper[]) {
  const medians = papers.flatMap(({ median }) => median ?? []);
  const [q25, median, q75] = [0.25, 0.5, 0.75].map((share) =>
    medians.length === 0 ? null : expect.closeTo(quantile(medians, share), 9),
  );
  return { papers: medians.length, q25, median, q75 };
}

test('the neighbors are the records with the smallest distances, with the parts of each distance', async () => {
  const recipe = fc.record({
    values: fc.uniqueArray(fc.tuple(fc.constantFrom(...names), fc.constantFrom(1, 12, 15, 300)), {
      selector: ([name]) => name,
      maxLength: 3,
    }),
    polymers: fc.constantFrom([], ['PVA'], ['PCL'], ['PVDF', 'PVA'], ['PCL', 'PVA']),
    solvents: fc.constantFrom([], ['DMF'], ['ACETONE', 'DMF']),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(0, 1),
      filters,
      recipe,
      fc.constantFrom(1, 5, 100),
      async (at, filter, { values, polymers, solvents }, k) => {
        fc.pre(values.length + polymers.length + solvents.length > 0);
        const state = stateAt(at);
        const own = polymers.map((name) => (at === 1 && name === 'PVA' ? 'PVOH' : name));
        const exclude = 2;
        const records = matching(state, filter);
        const measures = features.flatMap(({ feature }) => {
          const name = names.find((one) => one === feature);
          const wanted = values.find(([one]) => one === feature)?.[1];
          if (name === undefined || wanted === undefined) return [];
          const measure = partOf(state, name);
          return [{ name, of: (record: PlainRecord) => measure(record.values[name], wanted) }];
        });
        const candidates = records
          .filter(({ recordId }) => recordId !== exclude)
          .flatMap((record) => {
            const parts: [string, number][] = measures.map(({ name, of }) => [name, of(record)]);
            if (own.length > 0) {
              const distance = setDistance(record.categories.polymer, own);
              if (distance === undefined) return [];
              parts.push(['polymer', distance]);
            }
            if (solvents.length > 0) parts.push(['solvent', setDistance(record.categories.solvent, solvents) ?? 1]);
            return [{ record, parts, distance: sum(parts.map(([, one]) => one)) / parts.length }];
          })
          .sort((a, b) => a.distance - b.distance || a.record.recordId - b.record.recordId);
        const value = {
          values: values.map(([feature, one]) => ({ feature, value: one })),
          polymers: [...polymers],
          solvents: [...solvents],
          k,
          exclude,
          explain: true,
        };
        const answer = answerShape.parse(await explored.ask(state.revision, filter, { $case: 'nearest', value }));
        const first = candidates.slice(0, k);
        expect(answer.total).toBe(candidates.length);
        expect(answer.neighbors.map(({ recordId, distance }) => [recordId, distance])).toEqual(
          first.map(({ record, distance }) => [record.recordId, distance]),
        );
        for (const [at, { parts, doi }] of answer.neighbors.entries()) {
          const expected =
            first[at]?.parts.map(([key, distance]) => [key, expect.objectContaining({ distance })]) ?? [];
          expect(parts).toEqual(Object.fromEntries<unknown>(expected.map(([key, one]) => [String(key), one])));
          expect(doi).toBe(first[at]?.record.data.researchMetadata?.doi ?? null);
        }
        expect(sum(answer.excluded.map(({ count }) => count)) + answer.total).toBe(records.length);
        expect(answer.fiberDiameter.count).toBe(
          ofFeature(
            first.map(({ record }) => record),
            'fiberDiameter',
          ).length,
        );
        expect(answer.stable.yes + answer.stable.no + answer.stable.unknown).toBe(first.length);
        const papers = papersOf(first.map(({ record }) => record));
        expect(answer.byPaper).toEqual(papers);
        expect(answer.paperMedian).toEqual(quartilesOfMedians(papers));
      },
    ),
    { numRuns: runs(120) },
  );
});

/** Predicts the diameter of each record from its k nearest records of other papers. */
function predictionsOf(
  pool: readonly PlainRecord[],
  k: number,
  distance: (a: PlainRecord, b: PlainRecord) => number,
  paperOf: (record: PlainRecord) => string,
  predict: (near: readonly PlainRecord[]) => number,
): { paper: string; error: number }[] {
  return pool.map((record) => {
    const near = pool
      .filter((other) => paperOf(other) !== paperOf(record))
      .map((other) => ({ other, distance: distance(record, other) }))
      .sort((a, b) => a.distance - b.distance || a.other.recordId - b.other.recordId)
      .slice(0, k)
      .map(({ other }) => other);
    const error = Math.abs(Math.log(predict(near)) - Math.log(record.values.fiberDiameter ?? NaN));
    return { paper: paperOf(record), error };
  });
}

/** Returns the factor that 80 % of the errors do not exceed, if each paper has the same weight. */
function factorOf(errors: readonly { paper: string; error: number }[]): number {
  const papers = Map.groupBy(errors, ({ paper }) => paper);
  const weightUpTo = (limit: number): number =>
    sum([...papers.values()].map((own) => own.filter(({ error }) => error <= limit).length / own.length));
  const limits = errors.map(({ error }) => error).filter((error) => weightUpTo(error) >= 0.8 * papers.size - 1e-9);
  return Math.exp(Math.min(...limits));
}

const recipeOf = (polymer: string, k: number) => ({
  values: [
    { feature: 'voltage', value: 15 },
    { feature: 'tipDist', value: 12 },
    { feature: 'fiberDiameter', value: 300 },
  ],
  polymers: [polymer],
  solvents: ['DMF'],
  k,
  exclude: undefined,
  explain: true,
});

test('the reliability is computed by predicting each record from other papers', async () => {
  // The second state also has records without a DOI.
  for (const [at, polymer, k] of [
    [0, 'PVDF', 3],
    [0, 'PVA', 5],
    [1, 'PCL', 4],
    [1, 'PVOH', 20],
  ] as const) {
    const state = stateAt(at);
    const pool = state.records
      .filter(({ categories, values }) => categories.polymer.join() === polymer && (values.fiberDiameter ?? 0) > 0)
      .sort((a, b) => hashOfId(a.recordId) - hashOfId(b.recordId))
      .slice(0, 2_000);
    const ownPaper = ({ categories, recordId }: PlainRecord) => categories.doi[0] ?? String(recordId);
    const onePaper = ({ categories }: PlainRecord) => categories.doi[0] ?? '';
    const measures = (['voltage', 'tipDist'] as const).map((name) => ({ name, of: partOf(state, name) }));
    const distance = (a: PlainRecord, b: PlainRecord): number =>
      sum(measures.map(({ name, of }) => of(a.values[name], b.values[name])));
    const median = (near: readonly PlainRecord[]): number => quantile(ofFeature(near, 'fiberDiameter'), 0.5);
    const errors = predictionsOf(pool, k, distance, ownPaper, median);
    const ofPapers = predictionsOf(pool, k, distance, onePaper, (near) =>
      quantile([...Map.groupBy(near, onePaper).values()].map(median), 0.5),
    );
    const value = recipeOf(polymer, k);
    const answer = answerShape.parse(await explored.ask(state.revision, [], { $case: 'nearest', value }));
    const hasFactor = new Set(pool.map(onePaper)).size >= 5;
    expect([polymer, hasFactor]).toEqual([polymer, polymer !== 'PCL']);
    const factor80 = hasFactor ? factorOf(ofPapers) : null;
    expect(answer.reliability).toEqual({
      polymer,
      papers: new Set(pool.map(ownPaper)).size,
      records: pool.length,
      medianAbsoluteLogError: expect.closeTo(
        quantile(
          errors.map(({ error }) => error),
          0.5,
        ),
        9,
      ),
      factor80: factor80 && expect.closeTo(factor80, 9),
    });
    expect(answer.interval80).toBeNull();
    const settings = { ...value, values: value.values.slice(0, 2) };
    const ask = async (filter: Filter) =>
      z
        .object({ interval80: z.unknown(), paperMedian: z.object({ median: z.number() }) })
        .parse(await explored.ask(state.revision, filter, { $case: 'nearest', value: settings }));
    for (const filter of [
      [],
      [
        { kind: 'range', key: 'voltage', min: 1 },
        { kind: 'status', key: 'status', status: 'PUBLISHED' },
      ],
    ] as const) {
      const { interval80, paperMedian } = await ask(filter);
      expect(interval80).toEqual(
        factor80 && {
          low: expect.closeTo(paperMedian.median / factor80, 6),
          high: expect.closeTo(paperMedian.median * factor80, 6),
        },
      );
    }
    expect((await ask([{ kind: 'range', key: 'fiberDiameter', max: 1e6 }])).interval80).toBeNull();
  }
  const few = {
    values: [{ feature: 'fiberDiameter', value: 300 }],
    polymers: ['PVA'],
    solvents: [],
    k: 5,
    explain: true,
  };
  const without = await explored.ask(stateAt(0).revision, [], {
    $case: 'nearest',
    value: { ...few, exclude: undefined },
  });
  expect(answerShape.parse(without).reliability).toBeNull();
});

test('unknown names and values that cannot be compared are rejected', async () => {
  const { revision } = stateAt(1);
  const ask = (recipe: object) =>
    explored.ask(revision, [], {
      $case: 'nearest',
      value: { values: [], polymers: [], solvents: [], k: 5, exclude: undefined, explain: false, ...recipe },
    });
  await expect(ask({ polymers: ['PVAA'] })).rejects.toMatchObject({
    code: 'INVALID_PARAMETER',
    message: expect.stringMatching(/"PVAA" is not known; nearest/),
  });
  await expect(ask({ values: [{ feature: 'flowRate', value: 0 }] })).rejects.toMatchObject({
    code: 'INVALID_PARAMETER',
    message: expect.stringMatching(/logarithm/),
  });
});
