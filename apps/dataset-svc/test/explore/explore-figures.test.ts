import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { categoryKeys, features } from '@esd/record/filter/filter-keys';
import { runs } from '@esd/testing/property-runs';
import {
  byCodePoint,
  filters,
  matching,
  openExplored,
  type PlainRecord,
  quantile as typeSeven,
  stateOf,
  thin,
  withoutResults,
} from '../explored-dataset.ts';

let explored: Awaited<ReturnType<typeof openExplored>>;
beforeAll(async () => {
  explored = await openExplored('figures');
});
afterAll(() => explored.close());

// The features of the demo, and one that the demo does not have.
const names = [
  'voltage',
  'tipDist',
  'fiberDiameter',
  'variation',
  'concentration',
  'fieldStrength',
  'wettability',
  'solventBoilingPoint',
] as const;
const feature = fc.constantFrom(...names);
type Name = (typeof names)[number];
const unitOf = (name: Name) => features.find((keys) => keys.feature === name)?.unit;
const state = fc.constantFrom(0, 1);
const stateAt = (at: number) => stateOf(explored.states, at);
const valuesOf = (records: readonly PlainRecord[], name: Name): number[] =>
  records.flatMap(({ values }) => values[name] ?? []);
const countNotConvertible = (records: readonly PlainRecord[], name: Name): number =>
  records.filter(({ notConvertible }) => notConvertible.includes(name)).length;

const quantile = (values: readonly number[], share: number): unknown =>
  values.length === 0 ? null : near(typeSeven(values, share));

/** Matches a number within the precision of doubles. */
const near = (value: number): unknown => expect.closeTo(value, 9 - Math.ceil(Math.log10(Math.max(1, Math.abs(value)))));

function moments(values: readonly number[]): { mean: unknown; standardDeviation: unknown } {
  if (values.length === 0) return { mean: null, standardDeviation: null };
  const mean = values.reduce((sum, value) => sum + value / values.length, 0);
  if (values.length === 1) return { mean: near(mean), standardDeviation: null };
  const largest = Math.max(...values.map(Math.abs), 1);
  const variance = values.reduce((sum, value) => sum + ((value - mean) / largest) ** 2 / (values.length - 1), 0);
  return { mean: near(mean), standardDeviation: near(Math.sqrt(variance) * largest) };
}

test('statistics describe the values of the matching records', async () => {
  await fc.assert(
    fc.asyncProperty(
      state,
      filters,
      fc.uniqueArray(feature, { minLength: 1 }),
      fc.boolean(),
      async (at, filter, requested, perPaper) => {
        const records = matching(stateAt(at), filter);
        const papers = [...Map.groupBy(records, ({ categories }) => categories.doi[0]).values()];
        const perPaperOf = (name: Name) => {
          const medians = papers.flatMap((own) =>
            valuesOf(own, name).length > 0 ? [typeSeven(valuesOf(own, name), 0.5)] : [],
          );
          const [q25, median, q75] = [0.25, 0.5, 0.75].map((share) => quantile(medians, share));
          return { papers: medians.length, q25, median, q75 };
        };
        const expected = requested.map((name): [string, unknown] => {
          const values = valuesOf(records, name);
          const notConvertible = countNotConvertible(records, name);
          const [min, q05, q25, median, q75, q95, max] = [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1].map((share) =>
            quantile(values, share),
          );
          const counts = {
            count: values.length,
            missing: records.length - values.length - notConvertible,
            notConvertible,
          };
          const figures = { min, q05, q25, median, q75, q95, max, ...moments(values) };
          return [name, { unit: unitOf(name), ...counts, ...figures, ...(perPaper && { perPaper: perPaperOf(name) }) }];
        });
        const question = { $case: 'statistics', value: { features: requested, perPaper } } as const;
        expect(await explored.ask(stateAt(at).revision, filter, question)).toEqual({
          total: records.length,
          records: records.length,
          version: 'v',
          statistics: Object.fromEntries(expected),
        });
      },
    ),
    { numRuns: runs(150) },
  );
});

test('a histogram counts every record once, in the bin of its value', async () => {
  const bound = fc.option(fc.constantFrom(0.5, 1, 10, 15, 25, 400), { nil: undefined });
  await fc.assert(
    fc.asyncProperty(
      fc.record({ at: state, filter: filters, feature, bins: fc.constantFrom(1, 2, 7, 200), isLog: fc.boolean() }),
      bound,
      bound,
      async ({ at, filter, feature: name, bins, isLog }, min, max) => {
        fc.pre(min === undefined || max === undefined || min < max);
        const others = filter.filter(({ key }) => key !== name);
        const records = matching(stateAt(at), others);
        const values = valuesOf(records, name);
        const usable = isLog ? values.filter((value) => value > 0) : values;
        const [low, high] = [min ?? Math.min(...usable), max ?? Math.max(...usable)];
        const to = isLog ? Math.log : (value: number) => value;
        const from = isLog ? Math.exp : (value: number) => value;
        const hasBins = usable.length > 0 && low <= high;
        const count = low === high ? 1 : bins;
        const edges = hasBins
          ? Array.from({ length: count + 1 }, (_, edge) =>
              edge === 0 ? low : edge === count ? high : from(to(low) + (edge * (to(high) - to(low))) / count),
            )
          : [];
        const counts = edges.slice(1).map((end, bin) => {
          const isLast = bin === edges.length - 2;
          const start = edges[bin] ?? NaN;
          return usable.filter((value) => value >= start && (isLast ? value <= end : value < end)).length;
        });
        const notConvertible = countNotConvertible(records, name);
        const answer = {
          feature: name,
          unit: unitOf(name),
          scale: isLog ? 'log' : 'linear',
          total: records.length,
          records: records.length,
          edges,
          counts,
          missing: records.length - values.length - notConvertible,
          notConvertible,
          below: usable.filter((value) => value < (min ?? -Infinity)).length,
          above: usable.filter((value) => value > (max ?? Infinity)).length,
          nonPositive: values.length - usable.length,
        };
        const question = { $case: 'histogram', value: { feature: name, bins, isLog, min, max } } as const;
        expect(await explored.ask(stateAt(at).revision, filter, question)).toEqual(answer);
        const outsideBins = answer.missing + notConvertible + answer.below + answer.above + answer.nonPositive;
        expect(counts.reduce((sum, one) => sum + one, outsideBins)).toBe(records.length);
      },
    ),
    { numRuns: runs(200) },
  );
});

test('coverage counts the filled fields of the records of each value', async () => {
  await fc.assert(
    fc.asyncProperty(
      state,
      filters,
      fc.constantFrom(...categoryKeys),
      fc.constantFrom(1, 3, 1000),
      async (at, filter, by, limit) => {
        const records = matching(stateAt(at), filter);
        const values = new Set<string | null>(
          records.flatMap(({ categories }): (string | null)[] =>
            categories[by].length === 0 ? [null] : [...categories[by]],
          ),
        );
        const rows = [...values]
          .map((value) => {
            const own = records.filter(({ categories }) =>
              value === null ? categories[by].length === 0 : categories[by].includes(value),
            );
            const filled = Object.fromEntries([
              ...features.map(({ feature: name }): [string, number] => [
                name,
                own.filter(({ values, notConvertible }) => name in values || notConvertible.includes(name)).length,
              ]),
              ...categoryKeys.map((key): [string, number] => [
                key,
                own.filter(({ categories }) => categories[key].length > 0).length,
              ]),
            ]);
            return { value, count: own.length, filled };
          })
          .sort((a, b) => {
            if (a.count !== b.count) return b.count - a.count;
            if (a.value === null || b.value === null) return a.value === null ? 1 : -1;
            return byCodePoint(a.value, b.value);
          });
        const question = { $case: 'coverage', value: { by, limit } } as const;
        expect(await explored.ask(stateAt(at).revision, filter, question)).toEqual({
          total: records.length,
          records: records.length,
          version: 'v',
          by,
          distinct: rows.filter(({ value }) => value !== null).length,
          rows: rows.slice(0, limit),
        });
      },
    ),
    { numRuns: runs(60) },
  );
});

/** Returns the reason why a record is excluded from a plot; undefined if it is not. */
function reasonOf(record: PlainRecord, name: Name, isLog = false, min = -Infinity, max = Infinity): string | undefined {
  const value = record.values[name];
  if (value === undefined) return record.notConvertible.includes(name) ? 'notConvertible' : 'missing';
  if (isLog && value <= 0) return 'nonPositive';
  return value < min || value > max ? 'outside' : undefined;
}

function excludedOf(reasons: readonly (readonly [feature: Name, reason: string | undefined])[][]) {
  const counts = new Map<string, { feature: Name; reason: string; count: number }>();
  for (const one of reasons) {
    const first = one.find(([, reason]) => reason !== undefined);
    if (first?.[1] === undefined) continue;
    const key = first.join(' ');
    counts.set(key, { feature: first[0], reason: first[1], count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()];
}

const sorted = (items: readonly object[]): string[] =>
  items.map((item) => JSON.stringify(Object.entries(item).sort())).sort();
const withSorted = (answer: unknown): object => {
  const { excluded, ...rest } = z.looseObject({ excluded: z.array(z.looseObject({})) }).parse(answer);
  return { ...rest, excluded: sorted(excluded) };
};

const plainAxis = (name: Name) => ({ feature: name, bins: 3 as const, isLog: false, min: undefined, max: undefined });

test('a grid counts every record within its axes in the cell of its values', async () => {
  const axis = fc.record({
    feature,
    bins: fc.constantFrom(1, 3, 10),
    isLog: fc.boolean(),
    min: fc.option(fc.constantFrom(1, 12), { nil: undefined }),
    max: fc.option(fc.constantFrom(15, 300), { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(state, filters, axis, axis, fc.boolean(), async (at, filter, x, y, tried) => {
      fc.pre(x.feature !== y.feature);
      const reasonsOf = (record: PlainRecord) =>
        [x, y].map((one) => [one.feature, reasonOf(record, one.feature, one.isLog, one.min, one.max)] as const);
      const isPlotted = (record: PlainRecord) => reasonsOf(record).every(([, reason]) => reason === undefined);
      const records = matching(stateAt(at), filter);
      const reasons = records.map(reasonsOf);
      const triedRecords = matching(stateAt(at), withoutResults(filter));
      const plotted = records.filter(isPlotted);
      const shown = tried ? triedRecords.filter(isPlotted) : plotted;
      const question = { $case: 'grid', value: { x, y, explain: true, tried } } as const;
      const answer = await explored.ask(stateAt(at).revision, filter, question);
      const edgesOf = (one: typeof x) => {
        const values = valuesOf(shown, one.feature);
        if (values.length === 0) return [];
        const [low, high] = [one.min ?? Math.min(...values), one.max ?? Math.max(...values)];
        if (low === high) return [low, high];
        const [from, to] = one.isLog ? [Math.log(low), Math.log(high)] : [low, high];
        return Array.from({ length: one.bins + 1 }, (_, edge) => {
          if (edge === 0 || edge === one.bins) return edge === 0 ? low : high;
          const at = from + (edge * (to - from)) / one.bins;
          return one.isLog ? Math.exp(at) : at;
        });
      };
      const [edgesX, edgesY] = [edgesOf(x), edgesOf(y)];
      const binOf = (edges: readonly number[], value = NaN) =>
        Math.min(edges.length - 2, edges.filter((edge) => edge <= value).length - 1);
      const cells = Map.groupBy(shown, ({ values }) =>
        [binOf(edgesX, values[x.feature]), binOf(edgesY, values[y.feature])].join(),
      );
      const countsOf = (inside: readonly PlainRecord[]) => {
        const stable = inside.flatMap(({ categories }) => categories.isFormationStable);
        return {
          count: inside.length,
          papers: new Set(inside.flatMap(({ categories }) => categories.doi)).size,
          stable: stable.filter((one) => one === 'yes').length,
          unstable: stable.filter((one) => one === 'no').length,
        };
      };
      const axisOf = ({ feature: name, isLog }: typeof x, edges: number[]) => ({
        feature: name,
        unit: unitOf(name),
        scale: isLog ? 'log' : 'linear',
        edges,
      });
      expect(withSorted(answer)).toEqual({
        x: axisOf(x, edgesX),
        y: axisOf(y, edgesY),
        total: records.length,
        records: records.length,
        placed: plotted.length,
        ...(tried && { tried: { total: triedRecords.length, placed: shown.length } }),
        cells: [...cells]
          .map(([key, all]) => {
            const inside = all.filter((record) => plotted.includes(record));
            const [i = 0, j = 0] = key.split(',').map(Number);
            const diameters = valuesOf(inside, 'fiberDiameter');
            const [q25, median, q75] = [0.25, 0.5, 0.75].map((share) => quantile(diameters, share));
            const fiberDiameter = { count: diameters.length, q25, median, q75 };
            return { i, j, ...countsOf(inside), fiberDiameter, ...(tried && { tried: countsOf(all) }) };
          })
          .sort((a, b) => a.i - b.i || a.j - b.j),
        excluded: sorted(excludedOf(reasons)),
      });
    }),
    {
      numRuns: runs(100),
      examples: [[1, thin, plainAxis('voltage'), plainAxis('tipDist'), true]],
    },
  );
});

test('points are the records with both values, by record id', async () => {
  const color = fc.constantFrom(undefined, 'fiberDiameter', 'polymer', 'isFormationStable', 'solventSystem');
  await fc.assert(
    fc.asyncProperty(state, filters, feature, feature, color, fc.boolean(), async (at, filter, x, y, color, nulls) => {
      const records = matching(stateAt(at), filter);
      const reasons = records.map((record) => [[x, reasonOf(record, x)] as const, [y, reasonOf(record, y)] as const]);
      const plotted = records.filter((_, index) => reasons[index]?.every(([, reason]) => reason === undefined));
      const shown = nulls ? records : plotted;
      const colorOf = ({ values, categories }: PlainRecord) => {
        if (color === 'fiberDiameter') return values.fiberDiameter ?? null;
        const key = color === 'polymer' || color === 'solventSystem' ? color : 'isFormationStable';
        return [...categories[key]].sort(byCodePoint)[0] ?? null;
      };
      const question = { $case: 'points', value: { x, y, color, limit: 5_000, nulls, explain: true } } as const;
      expect(withSorted(await explored.ask(stateAt(at).revision, filter, question))).toEqual({
        total: records.length,
        records: records.length,
        placed: plotted.length,
        sampled: false,
        recordId: shown.map(({ recordId }) => recordId),
        x: shown.map(({ values }) => values[x] ?? null),
        y: shown.map(({ values }) => values[y] ?? null),
        ...(color === undefined ? {} : { color: shown.map(colorOf) }),
        excluded: sorted(excludedOf(reasons)),
      });
    }),
    { numRuns: runs(80) },
  );
});

test('points beyond the limit are sampled, and a smaller sample is a part of a larger one', async () => {
  const shape = z.object({ recordId: z.array(z.int()), x: z.array(z.number()), sampled: z.boolean() });
  const ask = async (limit: number) =>
    shape.parse(
      await explored.ask(explored.states[0]?.revision ?? 0, [], {
        $case: 'points',
        value: { x: 'voltage', y: 'tipDist', color: undefined, limit, nulls: false, explain: false },
      }),
    );
  const all = await ask(20_000);
  const some = await ask(100);
  const few = await ask(10);
  expect([some.sampled, some.recordId.length, few.recordId.length, few.x.length]).toEqual([true, 100, 10, 10]);
  expect(all.recordId).toEqual(expect.arrayContaining(some.recordId));
  expect(some.recordId).toEqual(expect.arrayContaining(few.recordId));
  expect(some.recordId).toEqual([...some.recordId].sort((a, b) => a - b));
  // The sample spreads over the dataset.
  const half = all.recordId[all.recordId.length >> 1] ?? 0;
  expect(some.recordId.filter((id) => id < half).length).toBeGreaterThan(30);
  expect(await ask(100)).toEqual(some);
});
