import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { byCodePoint } from '@esd/record/filter/text-order';
import { z } from 'zod';
import { openExplored, type PlainState, stateOf } from '../explored-dataset.ts';

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
    const marked = { $case: 'points', value: { ...axes, panel: 'polymer', repeated: true } } as const;
    expect(await explored.ask(state.revision, [], marked)).toMatchObject({
      repeated: state.records.map((one) => repeated.has(one.recordId)),
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
