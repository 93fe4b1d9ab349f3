import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { papersQuestion } from '@esd/dataset-client/explore-one';
import { runs } from '@esd/testing/property-runs';
import fc from 'fast-check';
import { z } from 'zod';
import type { Exploration } from '../../src/explore/explorer.ts';
import { byCodePoint, filters, matching, openExplored, type PlainRecord, quantile } from '../explored-dataset.ts';

let explored: Awaited<ReturnType<typeof openExplored>>;
beforeAll(async () => {
  explored = await openExplored('papers');
});
afterAll(() => explored.close());

const KEYS = [
  'polymer',
  'solvent',
  'concentration',
  'needleType',
  'needleDiameter',
  'collectorType',
  'voltage',
  'flowRate',
  'tipDist',
  'temp',
  'humidity',
] as const;

/** Describes each setting of records that one of them reports. */
function designOf(records: readonly PlainRecord[]): unknown[] {
  return KEYS.flatMap((key) => {
    const reported = records.flatMap(({ categories, values }): (string | number)[] => {
      if (key === 'polymer' || key === 'solvent' || key === 'needleType' || key === 'collectorType') {
        const names = [...categories[key]].sort(byCodePoint);
        return names.length === 0 ? [] : [names.join('–')];
      }
      const value = values[key];
      return value === undefined ? [] : [value];
    });
    const distinct = [...new Set(reported)].sort((a, b) =>
      typeof a === 'number' && typeof b === 'number' ? a - b : byCodePoint(String(a), String(b)),
    );
    if (reported.length === 0) return [];
    return [{ key, reported: reported.length, distinct: distinct.length, values: distinct.slice(0, 20) }];
  });
}

const answer = z.object({
  data: z.array(z.looseObject({ doi: z.string(), source: z.string().nullable(), title: z.string().optional() })),
  total: z.int(),
  withoutPaper: z.int(),
});

test('papers have the figures of their records, in the requested order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...explored.states),
      filters,
      fc.constantFrom('records', 'year', 'doi'),
      fc.boolean(),
      fc.constantFrom(0, 1, 7),
      fc.constantFrom(1, 5, 1000),
      async (state, filter, sort, descending, skip, limit) => {
        const records = matching(state, filter);
        const groups = Map.groupBy(records, ({ categories }) => categories.doi[0]);
        const without = groups.get(undefined)?.length ?? 0;
        const sign = descending ? -1 : 1;
        const expected = [...groups]
          .flatMap(([doi, own]) => (doi === undefined ? [] : [{ doi, own, year: own[0]?.filtered.paper?.year }]))
          .sort((a, b) => {
            if (sort === 'doi') return sign * byCodePoint(a.doi, b.doi);
            if (sort === 'records') return sign * (a.own.length - b.own.length) || byCodePoint(a.doi, b.doi);
            if (a.year === b.year) return byCodePoint(a.doi, b.doi);
            return a.year === undefined ? 1 : b.year === undefined ? -1 : sign * (a.year - b.year);
          });
        const names = (own: readonly PlainRecord[], key: 'polymer' | 'solvent'): string[] =>
          [...new Set(own.flatMap(({ categories }) => categories[key]))].sort(byCodePoint);
        const question = papersQuestion({ sort, descending, skip, limit, design: true });
        const found = await explored.ask(state.revision, filter, question);
        expect(found).toMatchObject({ total: expected.length, withoutPaper: without, skip, limit, version: 'v' });
        expect(answer.parse(found).data).toMatchObject(
          expected.slice(skip, skip + limit).map(({ doi, own, year }) => {
            const diameters = own.flatMap(({ values }) => values.fiberDiameter ?? []);
            const [q25, median, q75] = [0.25, 0.5, 0.75].map((share) =>
              diameters.length === 0 ? null : expect.closeTo(quantile(diameters, share), 6),
            );
            return {
              doi,
              ...(year === undefined ? {} : { year }),
              records: own.length,
              stable: own.filter(({ filtered }) => filtered.isFormationStable === true).length,
              unstable: own.filter(({ filtered }) => filtered.isFormationStable === false).length,
              polymers: names(own, 'polymer'),
              solvents: names(own, 'solvent'),
              fiberDiameter: { count: diameters.length, q25, median, q75 },
              design: designOf(own),
            };
          }),
        );
      },
    ),
    { numRuns: runs(40) },
  );
});

test('citations are ordered by DOI, and a paper without an entry has no title', async () => {
  const [, state] = explored.states;
  if (!state) throw new Error('no state');
  const { data, total } = answer.parse(
    await explored.ask(state.revision, [], papersQuestion({ limit: 1000, citations: true })),
  );
  expect(data.map(({ doi }) => doi)).toEqual(data.map(({ doi }) => doi).sort(byCodePoint));
  expect(data).toHaveLength(total);
  const entries = data.filter(({ title }) => title !== undefined);
  expect(new Set(entries.map(({ source }) => source))).toEqual(new Set(['imported']));
  const others = data.filter(({ title }) => title === undefined);
  expect(new Set(others.map(({ source }) => source))).toEqual(new Set([null]));
  expect(others.length).toBeGreaterThan(0);
});

test('the papers that answers and records name have their newest facts, whatever state is read', async () => {
  const [earlier, newest] = explored.states;
  if (!earlier || !newest) throw new Error('no state');
  const namedAt = async (revision: number, page: Partial<Exploration>) => {
    const exploration = { filter: [], questions: [], recordIds: [], version: 'v', revision, papers: true, ...page };
    return (await explored.explorer.explore(exploration, new AbortController().signal)).papers ?? [];
  };
  const facets = (limit: number) => [{ $case: 'facets' as const, value: { keys: ['doi'], limit } }];
  const factsOf = (records: readonly PlainRecord[]) =>
    new Map(
      records.flatMap(({ categories: { doi, year, journal } }) => doi.map((own) => [own, [year[0], journal[0]]])),
    );
  const expected = factsOf(newest.records);
  const all = await namedAt(earlier.revision, { questions: facets(1000) });
  expect(all.length).toBe(factsOf(earlier.records).size);
  for (const { doi, year, journal } of all) {
    if (expected.has(doi)) expect([doi, year?.toString(), journal]).toEqual([doi, ...(expected.get(doi) ?? [])]);
  }
  // The list has changed between the states.
  expect(factsOf(earlier.records)).not.toEqual(expected);
  // The second answer comes from the cache, but names the same papers.
  expect(await namedAt(earlier.revision, { questions: facets(1000) })).toEqual(all);
  expect(await namedAt(newest.revision, { questions: facets(3) })).toHaveLength(3);
  const [record] = earlier.records.filter(({ categories: { doi } }) => doi.length > 0);
  const own = [expect.objectContaining({ doi: record?.categories.doi[0] })];
  expect(await namedAt(earlier.revision, { recordIds: [record?.recordId ?? 0] })).toEqual(own);
  const records = { skip: earlier.records.findIndex((one) => one === record), limit: 1, sort: [] };
  expect(await namedAt(earlier.revision, { records })).toEqual(own);
  expect(await namedAt(earlier.revision, {})).toEqual([]);
});
