import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '@esd/testing/property-runs';
import type { Exploration } from '../../src/explore/explorer.ts';
import { filters, matching, openExplored, type PlainRecord } from '../explored-dataset.ts';

let explored: Awaited<ReturnType<typeof openExplored>>;
beforeAll(async () => {
  explored = await openExplored('page');
}, 60_000);
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

test('the summary counts papers and stability of the matching records', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...explored.states), filters, async (state, filter) => {
      const found = matching(state, filter);
      const countOf = (value: string) =>
        found.filter(({ categories }) => categories.isFormationStable.includes(value)).length;
      const summary = await explored.ask(state.revision, filter, { $case: 'summary', value: { maxCompared: 0 } });
      expect(summary).toMatchObject({
        papers: new Set(found.flatMap(({ categories }) => categories.doi)).size,
        stable: countOf('yes'),
        unstable: countOf('no'),
      });
    }),
    { numRuns: runs(100) },
  );
});

test('an aborted request is not computed', async () => {
  const aborted = AbortSignal.abort(new Error('the caller disconnected'));
  const base = { filter: [], version: 'aborted', questions, recordIds: [] };
  await expect(explored.explorer.explore(base, aborted)).rejects.toThrow();
  expect((await explored.index.state()).revision).toBe(explored.states[1]?.revision);
});
