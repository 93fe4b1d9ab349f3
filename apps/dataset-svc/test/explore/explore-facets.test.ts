import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { categoryKeys } from '@esd/record/filter/filter-keys';
import { byCodePoint as orderOfTexts } from '@esd/record/filter/text-order';
import { runs } from '@esd/testing/property-runs';
import { byCodePoint, filters, matching, openExplored } from '../explored-dataset.ts';

let explored: Awaited<ReturnType<typeof openExplored>>;
beforeAll(async () => {
  explored = await openExplored('facets');
}, 60_000);
afterAll(() => explored.close());

test('texts are ordered by code point', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'b', '\u00e9', '\uFF21', '\u{1F600}', '\u{10000}'),
    maxLength: 3,
  });
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(orderOfTexts(a, b))).toBe(Math.sign(byCodePoint(a, b)));
    }),
  );
});

test('facets count every record, ignoring the condition on their own key', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...explored.states),
      filters,
      fc.uniqueArray(fc.constantFrom(...categoryKeys), { minLength: 1 }),
      fc.constantFrom(1, 2, 5, 1000),
      async (state, filter, keys, limit) => {
        const expected = keys.map((key): [string, unknown] => {
          const records = matching(
            state,
            filter.filter((condition) => condition.key !== key),
          );
          const counts = new Map<string, number>();
          for (const value of records.flatMap(({ categories }) => categories[key])) {
            counts.set(value, (counts.get(value) ?? 0) + 1);
          }
          const values = [...counts]
            .sort(([a, m], [b, n]) => n - m || byCodePoint(a, b))
            .slice(0, limit)
            .map(([value, count]) => ({ value, count }));
          const missing = records.filter(({ categories }) => categories[key].length === 0).length;
          return [key, { values, distinct: counts.size, missing }];
        });
        const question = { $case: 'facets', value: { keys, limit } } as const;
        expect(await explored.ask(state.revision, filter, question)).toEqual({
          total: matching(state, filter).length,
          version: 'v',
          facets: Object.fromEntries(expected),
        });
      },
    ),
    { numRuns: runs(60) },
  );
}, 120_000);

test('a renamed polymer counts under its name at the requested revision', async () => {
  const [before, after] = explored.states;
  const namesAt = async (revision = 0) =>
    JSON.stringify(await explored.ask(revision, [], { $case: 'facets', value: { keys: ['polymer'], limit: 1000 } }));
  expect(await namesAt(before?.revision)).toContain('"PVA"');
  expect(await namesAt(after?.revision)).not.toContain('"PVA"');
  expect(await namesAt(after?.revision)).toContain('"PVOH"');
});
