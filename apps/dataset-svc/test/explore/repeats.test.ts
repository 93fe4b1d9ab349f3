import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { byCodePoint } from '@esd/record/filter/text-order';
import { z } from 'zod';
import type { Exploration } from '../../src/explore/explorer.ts';
import { matching, openExplored, type PlainState, stateOf, thin } from '../explored-dataset.ts';

let explored: Awaited<ReturnType<typeof openExplored>>;
beforeAll(async () => {
  explored = await openExplored('repeats');
});
afterAll(() => explored.close());

const neighborsSchema = z.object({
  total: z.int(),
  neighbors: z.array(z.object({ recordId: z.int(), repeats: z.optional(z.array(z.int())) })),
  excluded: z.array(z.object({ reason: z.string(), count: z.int() })),
});

/** Groups the records of a state that have a paper by their published values, independently of the service. */
function repeatGroups({ records }: PlainState): number[][] {
  const texts = new Map<string, number[]>();
  for (const { recordId, data, categories } of records) {
    const [doi] = categories.doi;
    if (doi === undefined) continue;
    const { fiberImages: _, researchMetadata, ...members } = data;
    const { publicationTitle: __, ...metadata } = { ...researchMetadata, doi };
    const text = canonical({ ...members, metadata });
    texts.set(text, [...(texts.get(text) ?? []), recordId]);
  }
  return [...texts.values()].filter(({ length }) => length > 1);
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).sort().join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${name}:${canonical(member)}`);
  return `{${members.sort().join()}}`;
}

test('records repeat one with a lower id if their paper and their published values are equal', async () => {
  for (const state of explored.states) {
    const groups = repeatGroups(state);
    const records = groups.flat().length - groups.length;
    expect(records).toBeGreaterThan(100);
    for (const once of [false, true]) {
      const answer = await explored.ask(state.revision, [], { $case: 'summary', value: {} }, once);
      expect(answer).toMatchObject({ repeats: { records, groups: groups.length } });
    }
  }
});

const axis = (feature: string) => ({ feature, bins: 5, isLog: false });
const questions: readonly Exploration['questions'][number][] = [
  { $case: 'summary', value: {} },
  { $case: 'facets', value: { keys: ['polymer'], limit: 1 } },
  { $case: 'statistics', value: { features: ['voltage'] } },
  { $case: 'histogram', value: axis('voltage') },
  { $case: 'coverage', value: { by: 'polymer', limit: 1 } },
  { $case: 'grid', value: { x: axis('voltage'), y: axis('tipDist'), explain: false } },
  { $case: 'points', value: { x: 'voltage', y: 'tipDist', limit: 1, nulls: true, explain: false } },
  {
    $case: 'nearest',
    value: { values: [{ feature: 'voltage', value: 15 }], polymers: [], solvents: [], k: 1, explain: false },
  },
];

test.each(questions)('$$case has the number of groups with `once`, and always that of records', async (question) => {
  for (const state of explored.states) {
    const repeated = new Set(repeatGroups(state).flatMap(([, ...others]) => others));
    for (const filter of [[], thin]) {
      const ids = matching(state, filter).map(({ recordId }) => recordId);
      const totals = { total: ids.filter((id) => !repeated.has(id)).length, records: ids.length };
      expect(await explored.ask(state.revision, filter, question, true)).toMatchObject(totals);
      const all = { total: ids.length, records: ids.length };
      expect(await explored.ask(state.revision, filter, question)).toMatchObject(all);
    }
  }
});

test('a page has all records while the answers count groups, and features describe all records', async () => {
  const { revision, records } = stateOf(explored.states, 0);
  const page = { questions, records: { skip: 0, limit: 1_000, sort: [] }, recordIds: [], filter: [], version: 'v' };
  const found = await explored.explorer.explore({ ...page, revision, once: true }, new AbortController().signal);
  expect([found.total, found.rowIds.length]).toEqual([records.length, records.length]);
  const keys = await explored.ask(revision, [], { $case: 'keys', value: {} }, true);
  expect(keys).toMatchObject({ total: records.length });
});

test('with `once`, a plot has the records with the lowest ids and their numbers of records', async () => {
  const axes = { x: 'voltage', y: 'fiberDiameter', color: undefined, limit: 20_000, nulls: true, explain: false };
  for (const state of explored.states) {
    const groups = repeatGroups(state);
    const repeated = new Set(groups.flatMap(([, ...others]) => others));
    const recordId = state.records.map((one) => one.recordId).filter((id) => !repeated.has(id));
    const multiplicity = recordId.map((id) => groups.find(([first]) => first === id)?.length ?? 1);
    const question = { $case: 'points', value: axes } as const;
    const found = await explored.ask(state.revision, [], question, true);
    expect(found).toMatchObject({ total: recordId.length, recordId, multiplicity });
    expect(await explored.ask(state.revision, [], question)).not.toHaveProperty('multiplicity');
    const split = { $case: 'points', value: { ...axes, panel: 'polymer' } } as const;
    expect(await explored.ask(state.revision, [], split)).toMatchObject({
      panel: state.records.map(({ categories }) => categories.polymer.toSorted(byCodePoint)[0] ?? null),
    });
  }
});

test('with `once`, neighbors are groups with their other records, and `exclude` leaves out a group', async () => {
  const state = stateOf(explored.states, 0);
  const groups = repeatGroups(state);
  const recipe = { values: [{ feature: 'voltage', value: 15 }], polymers: ['PVDF'], solvents: [], explain: true };
  const nearestTo = async (once: boolean, exclude?: number) =>
    neighborsSchema.parse(
      await explored.ask(state.revision, [], { $case: 'nearest', value: { ...recipe, k: 100, exclude } }, once),
    );
  const all = await nearestTo(false);
  expect(all.neighbors.every(({ repeats }) => repeats === undefined)).toBe(true);
  const once = await nearestTo(true);
  expect(once.total).toBeLessThan(all.total);
  for (const { recordId, repeats } of once.neighbors) {
    const [first, ...others] = groups.find((group) => group.includes(recordId)) ?? [recordId];
    expect({ recordId, repeats }).toEqual({ recordId: first, repeats: others });
  }
  const repeated = once.neighbors.find(({ repeats = [] }) => repeats.length > 0);
  const without = await nearestTo(true, repeated?.repeats?.at(-1));
  expect(without.total).toBe(once.total - 1);
  expect(without.neighbors.map(({ recordId }) => recordId)).not.toContain(repeated?.recordId);
  expect(without.excluded).toContainEqual({ reason: 'excluded', count: 1 });
});
