import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Filter } from '@esd/record/filter/filter';
import { categoryKeys } from '@esd/record/filter/filter-keys';
import { parseFilter } from '@esd/record/filter/parse-filter';
import {
  indexReferences,
  type ReferenceLists,
  spellingKey,
  spellingsOf,
  type SubstanceEntry,
} from '@esd/record/reference/reference';
import { runs } from '@esd/testing/property-runs';
import { coverage } from '../../src/explore/coverage.ts';
import { facets } from '../../src/explore/facets.ts';
import { type IndexAtState, matchingRows } from '../../src/read-index/matching-rows.ts';
import { openExplored } from '../explored-dataset.ts';

let explored: Awaited<ReturnType<typeof openExplored>>;
beforeAll(async () => {
  explored = await openExplored('values');
});
afterAll(() => explored.close());

function filterOf(filter: object): Filter {
  const parsed = parseFilter(JSON.stringify(filter));
  if ('problem' in parsed) throw new Error(parsed.problem.message);
  return parsed.filter;
}

/** Escapes a value for a filter. */
const written = (value: string): string => value.replace(/[\\|]/g, '\\$&');

const NAMES = ['PVDF', 'a|b', '=x', 'back\\slash', 'pva', 'Ärger', 'CA', '|'];
const USED = ['PVDF', 'PVA', 'PCL', 'PAN', 'DMF', 'DISTILLED_WATER', 'ACETONE', 'FORMIC_ACID'];
/** New names of entries; the previous name either remains an alias or is removed. */
const edits = fc.uniqueArray(
  fc.record({ entry: fc.constantFrom(...USED), name: fc.constantFrom(...NAMES), isKept: fc.boolean() }),
  { minLength: 1, maxLength: 5, selector: ({ entry }) => entry },
);
type Edits = readonly { entry: string; name: string; isKept: boolean }[];

const others = fc.constantFrom({}, { voltageMin: 12 }, { isFormationStable: 'yes' }, { polymer: 'p', tipDistMax: 15 });

function edited(lists: ReferenceLists, made: Edits): ReferenceLists {
  const substances = (list: 'polymers' | 'solvents') =>
    lists[list].map((entry) => {
      const at = made.findIndex((edit) => edit.entry === entry.name);
      const edit = made[at];
      if (!edit) return entry;
      const name = `${edit.name}${at === 0 ? '' : at}`;
      // Spellings are unique within a list.
      const spells = (other: SubstanceEntry): boolean =>
        spellingsOf(list, other).some(([, text]) => spellingKey(list, text) === spellingKey(list, name));
      if (lists[list].some((other) => other !== entry && spells(other))) return entry;
      return { ...entry, name, aliases: edit.isKept ? [...entry.aliases, entry.name] : [] };
    });
  return { ...lists, polymers: substances('polymers'), solvents: substances('solvents') };
}

let revisions = 0;
async function withLists<Answer>(
  revision: number,
  made: Edits,
  look: (index: IndexAtState) => Promise<Answer>,
): Promise<void> {
  await explored.index.ask({ revision }, async (index) => {
    // Lists are cached by revision, so each edit needs a new one.
    const lists = { ...edited(index.references.lists, made), revision: (revisions -= 1) };
    await look({ ...index, references: indexReferences(lists) });
  });
}

test('a filter by a counted value finds as many records as facets and coverage count, after any edit of the lists', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(0, 1), edits, others, async (at, made, filter) => {
      const wanted = filterOf(filter);
      await withLists(explored.states[at]?.revision ?? 0, made, async (index) => {
        const totalOf = async (key: string, text: string): Promise<number> => {
          const rest = wanted.filter((condition) => condition.key !== key);
          return (await matchingRows(index, [...rest, ...filterOf({ [key]: text })])).length;
        };
        expect((await matchingRows(index, wanted)).length).toBeGreaterThan(0);
        const counted = await facets(index, wanted, { keys: categoryKeys, limit: 1_000 });
        for (const key of categoryKeys) {
          const { values = [], missing } = counted.facets[key] ?? {};
          for (const { value, count } of values) {
            expect([key, value, await totalOf(key, `=${written(value)}`)]).toEqual([key, value, count]);
          }
          expect([key, await totalOf(key, '=')]).toEqual([key, missing]);
          const rest = wanted.filter((condition) => condition.key !== key);
          for (const { value, count } of (await coverage(index, rest, key, 1_000)).rows) {
            expect([key, value, await totalOf(key, `=${written(value ?? '')}`)]).toEqual([key, value, count]);
          }
        }
      });
    }),
    { numRuns: runs(12) },
  );
});

test('a filter finds any of several values, in any spelling and by their previous names', async () => {
  const [before, after] = explored.states;
  const totalOf = (revision: number | undefined, filter: Filter) =>
    explored.index.ask({ revision }, async (index) => (await matchingRows(index, filter)).length);
  const at = async (revision: number | undefined, text: string) =>
    (await totalOf(revision, filterOf({ polymer: text }))).answer;
  const [pva, pcl, either] = [
    await at(before?.revision, '=PVA'),
    await at(before?.revision, '=PCL'),
    await at(before?.revision, '=PVA|PCL'),
  ];
  expect(Math.min(pva, pcl)).toBeGreaterThan(0);
  expect(either).toBeGreaterThan(Math.max(pva, pcl));
  expect(either).toBeLessThanOrEqual(pva + pcl);
  const renamed = await at(after?.revision, '=PVOH');
  expect(renamed).toBeGreaterThan(0);
  expect(await at(after?.revision, '=PVA')).toBe(renamed);
  expect(await at(before?.revision, '=pva')).toBe(pva);
});
