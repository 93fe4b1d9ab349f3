import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { categoryKeys } from '@esd/record/filter/filter-keys';
import { runs } from '@esd/testing/property-runs';
import { byCodePoint, filters, matching, openExplored, thin, withoutResults } from '../explored-dataset.ts';

let explored: Awaited<ReturnType<typeof openExplored>>;
beforeAll(async () => {
  explored = await openExplored('facets');
});
afterAll(() => explored.close());

test('facets count every record, ignoring the condition on their own key', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...explored.states),
      filters,
      fc.uniqueArray(fc.constantFrom(...categoryKeys), { minLength: 1 }),
      fc.constantFrom(1, 2, 5, 1000),
      fc.boolean(),
      async (state, filter, keys, limit, tried) => {
        const expected = keys.map((key): [string, unknown] => {
          const [records, all] = [filter, withoutResults(filter)].map((conditions) =>
            matching(
              state,
              conditions.filter((condition) => condition.key !== key),
            ),
          );
          const listed = (tried ? all : records) ?? [];
          const countOf = (value: string, of = records) =>
            of?.filter(({ categories }) => categories[key].includes(value)).length ?? 0;
          const values = [...new Set(listed.flatMap(({ categories }) => categories[key]))]
            .map((value) => ({ value, count: countOf(value), ...(tried && { tried: countOf(value, all) }) }))
            .sort((a, b) => b.count - a.count || (b.tried ?? 0) - (a.tried ?? 0) || byCodePoint(a.value, b.value));
          const missing = records?.filter(({ categories }) => categories[key].length === 0).length;
          return [key, { values: values.slice(0, limit), distinct: values.length, missing }];
        });
        const question = { $case: 'facets', value: { keys, limit, tried } } as const;
        expect(await explored.ask(state.revision, filter, question)).toEqual({
          total: matching(state, filter).length,
          records: matching(state, filter).length,
          version: 'v',
          ...(tried && { tried: matching(state, withoutResults(filter)).length }),
          facets: Object.fromEntries(expected),
        });
      },
    ),
    { numRuns: runs(60), examples: explored.states.map((state) => [state, thin, ['doi', 'polymer'], 1000, true]) },
  );
});
