import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '@esd/testing/property-runs';
import { repeatsOf } from '../../src/explore/repeats.ts';
import { findSlot, matchingRows, repeatGroups } from '../../src/read-index/matching-rows.ts';
import { countRepeats } from '../../src/read-index/repeat-groups.ts';
import { columnsOf, type PlainRow, indexAt, validAt } from './plain-rows.ts';

const REVISION = 2;
const LIMIT = 2;

const row = fc.record(
  {
    recordId: fc.integer({ min: 1, max: 40 }),
    repeatKey: fc.constantFrom(1, 2, 2 ** 53 - 1),
    doi: fc.integer({ min: 1, max: 2 }),
    voltage: fc.constantFrom(1, 2),
    validFrom: fc.integer({ min: 1, max: 3 }),
  },
  { requiredKeys: ['recordId', 'doi', 'validFrom'] },
);
const rowsOf = fc
  .uniqueArray(row, { selector: ({ recordId }) => recordId, maxLength: 40 })
  .map((rows) => rows.map((one, at): PlainRow => ({ ...one, rowId: at + 1 })));

/** A hash of two papers is equal only by chance, and such records do not repeat each other. */
function groupsOf(rows: readonly PlainRow[]): PlainRow[][] {
  const valid = validAt(rows, REVISION);
  const groups: PlainRow[][] = [];
  const owner = new Map<number, PlainRow[]>();
  for (const one of valid) {
    const known = one.repeatKey === undefined ? undefined : owner.get(one.repeatKey);
    if (known?.[0]?.doi === one.doi) {
      known?.push(one);
      continue;
    }
    const group = [one];
    groups.push(group);
    if (one.repeatKey !== undefined && known === undefined) owner.set(one.repeatKey, group);
  }
  return groups;
}

test('with `once`, the record with the lowest id of each group matches', async () => {
  await fc.assert(
    fc.asyncProperty(rowsOf, fc.constantFrom(undefined, 1), async (rows, min) => {
      const all = indexAt(await columnsOf(rows), REVISION);
      const once = { ...all, once: true };
      const filter = min === undefined ? [] : [{ kind: 'range', key: 'voltage', min } as const];
      const groups = groupsOf(rows).map((group) => group.toSorted((a, b) => a.recordId - b.recordId));
      const { recordId } = all.columns;
      const idsOf = (slots: Int32Array) => Array.from(slots, (slot) => recordId[slot]);
      const firsts = groups.flatMap(([first]) => first ?? []).sort((a, b) => a.recordId - b.recordId);
      const matching = firsts.filter(({ voltage }) => min === undefined || Number(voltage) >= min);
      expect(idsOf(await matchingRows(once, filter))).toEqual(matching.map((one) => one.recordId));

      const repeated = groups.filter(({ length }) => length > 1);
      const counts = { records: repeated.flat().length - repeated.length, groups: repeated.length };
      for (const index of [all, once]) {
        const found = await countRepeats(await repeatGroups(index), await matchingRows(index, []));
        expect(found).toEqual(counts);
      }
      for (const group of groups) {
        for (const own of group) {
          const slot = await findSlot(once, own.recordId);
          const others = group.map((one) => one.recordId).filter((id) => id !== own.recordId);
          const found = slot === undefined ? undefined : (await repeatsOf(once, [slot], LIMIT)).get(slot);
          expect(found).toEqual(others.slice(0, LIMIT));
        }
      }
    }),
    { numRuns: runs(100) },
  );
});
