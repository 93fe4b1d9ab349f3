import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { settingsText } from '@esd/record/catalog/settings-text';
import { repeatText } from '@esd/record/catalog/repeat-text';
import { z } from 'zod';
import { openExplored, type PlainState, stateOf } from '../explored-dataset.ts';

let explored: Awaited<ReturnType<typeof openExplored>>;
beforeAll(async () => {
  explored = await openExplored('unexplained');
});
afterAll(() => explored.close());

const neighborsSchema = z.object({ neighbors: z.array(z.object({ recordId: z.int(), unexplained: z.unknown() })) });

/** Finds by record the diameters of equal settings that differ by more than a factor of 1.5, by comparing all pairs. */
function contradictions({ records, references }: PlainState) {
  const measured = records.flatMap(({ recordId, data, values: { fiberDiameter } }) => {
    const settings = settingsText(data, references);
    if (settings === undefined || fiberDiameter === undefined || fiberDiameter <= 0) return [];
    return [{ recordId, settings, repeats: repeatText(data), fiberDiameter }];
  });
  const byRecord = new Map<number, { records: number[]; low: number; high: number }>();
  for (const { recordId, settings, fiberDiameter } of measured) {
    const contradicting = measured.filter((other) => {
      const [low, high] = [fiberDiameter, other.fiberDiameter].sort((one, two) => one - two);
      return other.settings === settings && (high ?? 0) / (low ?? 1) > 1.5;
    });
    if (contradicting.length === 0) continue;
    const diameters = [fiberDiameter, ...contradicting.map((other) => other.fiberDiameter)];
    const firsts = [...Map.groupBy(contradicting, ({ repeats }) => repeats).values()].flatMap(([first]) => first ?? []);
    const ids = firsts.map((other) => other.recordId).sort((one, two) => one - two);
    byRecord.set(recordId, { records: ids, low: Math.min(...diameters), high: Math.max(...diameters) });
  }
  return byRecord;
}

test('a record has the distinct records that contradict it, at each state', async () => {
  for (const state of explored.states) {
    const expected = contradictions(state);
    expect(expected.size).toBeGreaterThan(50);
    const unaffected = state.records.filter(({ recordId }) => !expected.has(recordId)).slice(0, 20);
    for (const recordId of [...expected.keys(), ...unaffected.map((record) => record.recordId)]) {
      const question = { $case: 'recordContext', value: { recordId, bins: 1, neighbors: 1 } } as const;
      const answer = await explored.ask(state.revision, [], question, true);
      expect([recordId, answer]).toMatchObject([recordId, { unexplained: expected.get(recordId) ?? null }]);
    }
  }
});

test('the summary counts the records that others contradict', async () => {
  const state = stateOf(explored.states, 0);
  const all = contradictions(state);
  const distinct = new Set(
    state.records.filter(({ recordId }) => all.has(recordId)).map(({ data }) => repeatText(data)),
  );
  for (const [once, unexplained] of [
    [false, all.size],
    [true, distinct.size],
  ] as const) {
    const answer = await explored.ask(state.revision, [], { $case: 'summary', value: {} }, once);
    expect(answer).toMatchObject({ unexplained });
  }
});

test('a neighbor has the records that contradict it', async () => {
  const state = stateOf(explored.states, 0);
  const expected = contradictions(state);
  const recipe = { values: [{ feature: 'voltage', value: 15 }], polymers: ['PVDF'], solvents: [] };
  const question = { $case: 'nearest', value: { ...recipe, k: 50, explain: false } } as const;
  const answer = await explored.ask(state.revision, [], question, true);
  const { neighbors } = neighborsSchema.parse(answer);
  expect(neighbors.filter(({ unexplained }) => unexplained !== null).length).toBeGreaterThan(0);
  for (const { recordId, unexplained } of neighbors) expect(unexplained).toEqual(expected.get(recordId) ?? null);
});
