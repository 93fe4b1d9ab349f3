import { afterAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { recordDifference } from '@esd/record/catalog/record-difference';
import { features } from '@esd/record/filter/filter-keys';
import { openExplored, type PlainRecord, type PlainState, stateOf } from '../explored-dataset.ts';

const number = z.number().nullable();
const overviewAnswer = z.object({
  ...{ total: z.int(), papers: z.int(), polymers: z.int(), solventSystems: z.int(), unstable: z.int() },
  failures: z.object({ papers: z.int(), polymers: z.array(z.string()) }),
  repeats: z.object({ records: z.int(), groups: z.int() }),
  sampled: z.boolean(),
  byPolymer: z.array(
    z.object({
      ...{ polymer: z.string(), records: z.int(), withDiameter: z.int(), unstable: z.int() },
      ...{ min: number, median: number, max: number, diameters: z.array(z.number()) },
    }),
  ),
  additions: z.array(
    z.object({ day: z.string(), doi: z.string().nullable(), records: z.int(), polymers: z.array(z.string()) }),
  ),
});
const contextAnswer = z.object({
  ...{
    recordId: z.int(),
    total: z.int(),
    ofPaper: z.object({ total: z.int(), records: z.int() }),
    repeats: z.array(z.int()),
    warnings: z.array(z.string()),
  },
  positions: z.array(
    z.object({
      ...{ feature: z.string(), unit: z.string(), value: z.number(), count: z.int(), lower: z.int() },
      ...{ scale: z.enum(['linear', 'log']), edges: z.array(z.number()), counts: z.array(z.int()) },
    }),
  ),
  sameSolution: z.object({
    total: z.int(),
    records: z.array(
      z.object({
        ...{ recordId: z.int(), voltage: number, tipDist: number, fiberDiameter: number },
        isFormationStable: z.boolean().nullable(),
      }),
    ),
  }),
  nearest: z
    .object({ total: z.int(), neighbors: z.array(z.object({ recordId: z.int(), parts: z.object({}).loose() })) })
    .nullable(),
});

const today = () => new Date().toISOString().slice(0, 10);

const firstDay = today();
const explored = await openExplored('explore_pages');
afterAll(() => explored.close());

const questionOf = (recordId: number) =>
  ({ $case: 'recordContext', value: { recordId, bins: 30, neighbors: 20 } }) as const;

async function contextOf({ revision }: PlainState, recordId: number, once = false) {
  return contextAnswer.parse(await explored.ask(revision, [], questionOf(recordId), once));
}

describe('overview', () => {
  const wanted = { polymers: 12, diameters: 5_000, additions: 4 };

  test('counts and figures cover all records', async () => {
    for (const { revision, records } of explored.states) {
      const found = overviewAnswer.parse(await explored.ask(revision, [], { $case: 'overview', value: wanted }));
      const distinct = (texts: readonly string[]): number => new Set(texts).size;
      const systems = records.map(({ categories }) => String([...categories.solvent].sort()));
      expect(found).toMatchObject({
        total: records.length,
        papers: distinct(records.flatMap(({ categories }) => categories.doi)),
        polymers: distinct(records.flatMap(({ categories }) => categories.polymer)),
        solventSystems: distinct(systems.filter((system) => system !== '')),
        unstable: records.filter(({ categories }) => categories.isFormationStable.includes('no')).length,
        sampled: false,
      });
      const failed = records.filter(({ categories }) => categories.isFormationStable.includes('no'));
      expect(found.failures.papers).toBe(distinct(failed.flatMap(({ categories }) => categories.doi)));
      expect(found.failures.polymers.toSorted()).toEqual(
        [...new Set(failed.flatMap(({ categories }) => categories.polymer))].sort(),
      );
      const { repeats } = found;
      expect(await explored.ask(revision, [], { $case: 'summary', value: {} })).toMatchObject({ repeats });
      expect(found.byPolymer).toHaveLength(12);
      for (const { polymer, diameters, ...row } of found.byPolymer) {
        const own = records.filter(({ categories }) => categories.polymer.includes(polymer));
        const values = own.flatMap(({ values: { fiberDiameter } }) => fiberDiameter ?? []).sort((a, b) => a - b);
        expect(diameters.sort((a, b) => a - b)).toEqual(values);
        expect(row).toMatchObject({
          ...{ records: own.length, withDiameter: values.length },
          unstable: failed.filter(({ categories }) => categories.polymer.includes(polymer)).length,
        });
        expect([row.min, row.max]).toEqual([values[0] ?? null, values.at(-1) ?? null]);
        const [low = NaN, high = NaN] = [Math.floor, Math.ceil].map((round) => values[round((values.length - 1) / 2)]);
        if (values.length > 0) expect(row.median).toBeCloseTo((low + high) / 2, 9);
      }
    }
  });

  test('additions are grouped by paper and day, and a sample of diameters is marked', async () => {
    const [, { revision, records } = { revision: 0, records: [] }] = explored.states;
    const value = { ...wanted, diameters: 100, additions: 1_000 };
    const found = overviewAnswer.parse(await explored.ask(revision, [], { $case: 'overview', value }));
    expect(found.sampled).toBe(true);
    expect(found.byPolymer.flatMap(({ diameters }) => diameters)).toHaveLength(100);
    expect(found.additions.reduce((sum, { records: count }) => sum + count, 0)).toBe(records.length);
    const { doi = null, polymers } = found.additions.find(({ records: count }) => count > 20) ?? {};
    const own = records.filter(({ categories }) => categories.doi[0] === doi);
    expect(polymers).toEqual([...new Set(own.flatMap(({ categories }) => categories.polymer))].sort());
    // The tests can run past midnight.
    expect([firstDay, today()]).toContain(found.additions[0]?.day);
  });
});

describe('the context of a record', () => {
  const isOfSolution = (one: PlainRecord, other: PlainRecord): boolean =>
    one.categories.doi[0] === other.categories.doi[0] &&
    Object.is(one.values.concentration, other.values.concentration) &&
    (['polymer', 'solvent'] as const).every(
      (key) => String([...new Set(one.categories[key])].sort()) === String([...new Set(other.categories[key])].sort()),
    );

  test('values, paper, solution and repeats equal those of a check of every record', async () => {
    for (const state of explored.states) {
      const { records } = state;
      for (const record of records.filter((_, at) => at % 37 === 0 || at < 12)) {
        const found = await contextOf(state, record.recordId);
        expect(found).toMatchObject({ recordId: record.recordId, total: records.length });
        expect(found.positions.map(({ feature, value }) => [feature, value])).toEqual(
          features.flatMap(({ feature }) => (feature in record.values ? [[feature, record.values[feature]]] : [])),
        );
        for (const { feature, value, count, lower, edges, counts } of found.positions) {
          const key = features.find((keys) => keys.feature === feature)?.feature ?? 'voltage';
          const values = records.flatMap(({ values: own }) => own[key] ?? []);
          expect({ count, lower }).toEqual({ count: values.length, lower: values.filter((one) => one < value).length });
          expect(counts.reduce((sum, one) => sum + one, 0)).toBe(count);
          expect([edges[0], edges.at(-1)]).toEqual([Math.min(...values), Math.max(...values)]);
        }
        const [doi] = record.categories.doi;
        const ofPaper = records.filter(({ categories }) => doi !== undefined && categories.doi[0] === doi);
        const solution = ofPaper.filter((one) => isOfSolution(one, record));
        expect(found.ofPaper).toEqual({ total: ofPaper.length, records: ofPaper.length });
        expect(found.sameSolution.total).toBe(solution.length);
        expect(found.sameSolution.records).toEqual(
          solution.slice(0, 200).map(({ recordId, values, categories }) => ({
            ...{ recordId, voltage: values.voltage ?? null, tipDist: values.tipDist ?? null },
            fiberDiameter: values.fiberDiameter ?? null,
            isFormationStable: { yes: true, no: false }[String(categories.isFormationStable[0])] ?? null,
          })),
        );
        const repeats = solution.filter(
          (one) => one !== record && recordDifference(one.data, record.data).length === 0,
        );
        expect(found.repeats).toEqual(repeats.map(({ recordId }) => recordId));
      }
    }
  });

  test('some records of the demo repeat others, and a record is not its own neighbor', async () => {
    const state = stateOf(explored.states, 0);
    let repeated = 0;
    for (const { recordId } of state.records.filter((_, at) => at % 20 === 0)) {
      const { repeats, nearest } = await contextOf(state, recordId);
      if (repeats.length > 0) repeated += 1;
      expect(repeats).not.toContain(recordId);
      expect(nearest?.neighbors.length).toBeGreaterThan(0);
      expect(nearest?.neighbors.map((one) => one.recordId)).not.toContain(recordId);
      expect(Object.keys(nearest?.neighbors[0]?.parts ?? {})).not.toContain('fiberDiameter');
    }
    expect(repeated).toBeGreaterThan(0);
  });

  test('with `once`, a record that repeats another one replaces it among distinct experiments', async () => {
    const state = stateOf(explored.states, 0);
    let all: z.output<typeof contextAnswer> | undefined;
    for (const { recordId } of state.records) {
      all = await contextOf(state, recordId);
      if (all.repeats.some((id) => id < recordId)) break;
    }
    if (!all) throw new Error('no record repeats another one');
    const { recordId, repeats } = all;
    const found = await contextOf(state, recordId, true);
    const summary = await explored.ask(state.revision, [], { $case: 'summary', value: {} }, true);
    expect(summary).toMatchObject({ total: found.total, records: all.total });
    expect(found).toMatchObject({ repeats, ofPaper: { records: all.ofPaper.total } });
    expect(found.ofPaper.total).toBeLessThan(found.ofPaper.records);
    const siblings = found.sameSolution.records.map((sibling) => sibling.recordId);
    expect(siblings).toContain(recordId);
    expect(siblings.filter((id) => repeats.includes(id))).toEqual([]);
    for (const [at, { count }] of found.positions.entries()) expect(count).toBeLessThan(all.positions[at]?.count ?? 0);
  });

  test('a record that is not public is not found, and a record without settings has no neighbors', async () => {
    const [first, last] = explored.states;
    if (!first || !last) throw new Error('no states');
    await expect(contextOf(last, 3)).rejects.toMatchObject({ code: 'RECORD_NOT_FOUND' });
    await expect(contextOf(first, 1)).rejects.toMatchObject({ code: 'RECORD_NOT_FOUND' });
    expect(await contextOf(last, 1)).toMatchObject({ positions: [], ofPaper: { total: 0, records: 0 }, nearest: null });
  });
});
