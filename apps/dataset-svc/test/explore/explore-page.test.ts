import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { categoryKeys, features as allFeatures } from '@esd/record/filter/filter-keys';
import fc from 'fast-check';
import { z } from 'zod';
import { runs } from '@esd/testing/property-runs';
import type { Exploration } from '../../src/explore/explorer.ts';
import { filters, matching, openExplored, type PlainRecord, thin, withoutResults } from '../explored-dataset.ts';

let explored: Awaited<ReturnType<typeof openExplored>>;
beforeAll(async () => {
  explored = await openExplored('page');
});
afterAll(() => explored.close());

type Question = Exploration['questions'][number];

const signal = new AbortController().signal;
const questions: readonly Question[] = [
  { $case: 'facets', value: { keys: ['polymer', 'doi'], limit: 5 } },
  { $case: 'statistics', value: { features: ['voltage', 'fiberDiameter'] } },
  { $case: 'histogram', value: { feature: 'voltage', bins: 12, isLog: false } },
  { $case: 'points', value: { x: 'voltage', y: 'tipDist', color: 'polymer', limit: 50, nulls: false, explain: true } },
];

test('a page has the answer of each single question, and the matching records', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...explored.states),
      filters,
      fc.nat(20),
      fc.nat(15),
      async (state, filter, skip, limit) => {
        const { revision, records } = state;
        const base = { filter, version: 'v', revision };
        const some = [records[0]?.recordId ?? 0, 9_999_999, records[3]?.recordId ?? 0];
        const page = await explored.explorer.explore(
          { ...base, questions, records: { skip, limit, sort: [] }, recordIds: some },
          signal,
        );
        const found = matching(state, filter);
        expect(page.total).toBe(found.length);
        for (const [at, question] of questions.entries()) {
          const alone = await explored.explorer.explore({ ...base, questions: [question], recordIds: [] }, signal);
          expect(page.answersJson[at]?.toString()).toBe(alone.answersJson[0]?.toString());
        }
        const rowsOf = async (of: readonly PlainRecord[]) => {
          const { rowIds } = await explored.index.findAll([], { revision });
          return of.map(({ recordId }) => rowIds[records.findIndex((record) => record.recordId === recordId)]);
        };
        expect(page.rowIds).toEqual(await rowsOf(found.slice(skip, skip + limit)));
        expect(page.chosenRowIds).toEqual(await rowsOf(records.filter((_, at) => at === 0 || at === 3)));
      },
    ),
    { numRuns: runs(30) },
  );
});

const RESULTS = ['isFormationStable', 'instability', 'fiberDiameter', 'morphology'] as const;

test('the summary counts the matching and the tried records, and those that cannot match', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...explored.states), filters, async (state, filter) => {
      const stableOf = (records: readonly PlainRecord[], value?: string) =>
        records.filter(({ categories }) => categories.isFormationStable[0] === value).length;
      const papersOf = (records: readonly PlainRecord[]) =>
        new Set(records.flatMap(({ categories }) => categories.doi));
      const countsOf = (records: readonly PlainRecord[]) => ({
        total: records.length,
        papers: papersOf(records).size,
        stable: { yes: stableOf(records, 'yes'), no: stableOf(records, 'no'), unknown: stableOf(records) },
      });
      const [found, tried] = [matching(state, filter), matching(state, withoutResults(filter))];
      const failing = papersOf(state.records.filter((record) => stableOf([record], 'no') > 0));
      const cannotMatch = RESULTS.flatMap((key) => {
        const condition = filter.find((one) => one.key === key);
        if (!condition) return [];
        const matchesAbsence = condition.kind === 'values' && condition.values.length === 0;
        const without = tried.filter(({ values, categories }) =>
          key === 'fiberDiameter' ? values[key] === undefined : !matchesAbsence && categories[key].length === 0,
        );
        return [{ key, count: without.length, notStable: stableOf(without, 'no') }];
      });
      expect(await explored.ask(state.revision, filter, { $case: 'summary', value: {} })).toEqual({
        version: 'v',
        ...countsOf(found),
        records: found.length,
        tried: {
          ...countsOf(tried),
          papersReportingFailures: [...papersOf(tried)].filter((doi) => failing.has(doi)).length,
        },
        cannotMatch,
        repeats: { records: expect.any(Number), groups: expect.any(Number) },
        unexplained: expect.any(Number),
      });
    }),
    { numRuns: runs(100), examples: explored.states.map((state) => [state, thin]) },
  );
});

test('each feature and category is described with its values', async () => {
  for (const { revision, records } of explored.states) {
    const { total, features } = z
      .object({ total: z.int(), features: z.array(z.looseObject({ key: z.string() })) })
      .parse(await explored.ask(revision, [], { $case: 'keys', value: {} }));
    expect(total).toBe(records.length);
    for (const { feature } of allFeatures) {
      const values = records.flatMap((record) => record.values[feature] ?? []);
      expect(features.find(({ key }) => key === feature)).toMatchObject({
        type: 'number',
        count: values.length,
        notConvertible: records.filter(({ notConvertible }) => notConvertible.includes(feature)).length,
        distinct: null,
        range: values.length === 0 ? null : { min: Math.min(...values), max: Math.max(...values) },
      });
    }
    for (const key of categoryKeys) {
      const values = records.map(({ categories }) => categories[key]);
      expect(features.find((one) => one.key === key)).toMatchObject({
        type: 'category',
        count: values.filter(({ length }) => length > 0).length,
        notConvertible: null,
        distinct: new Set(values.flat()).size,
        range: null,
      });
    }
  }
});

test('an aborted request is not computed', async () => {
  const aborted = AbortSignal.abort(new Error('the caller disconnected'));
  const base = { filter: [], version: 'aborted', questions, recordIds: [] };
  await expect(explored.explorer.explore(base, aborted)).rejects.toThrow();
  expect((await explored.index.state()).revision).toBe(explored.states[1]?.revision);
});
