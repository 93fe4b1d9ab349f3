import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '@esd/testing/property-runs';
import { repeats } from '../../src/explore/repeats.ts';
import { hashOfId, lastHashOf } from '../../src/explore/sample.ts';
import { matchingRows } from '../../src/read-index/matching-rows.ts';
import { columnsOf, readingOf } from '../read-index/plain-rows.ts';

test('repeats are rows with equal values', async () => {
  const values = fc.record(
    {
      voltage: fc.constantFrom(1, 2, '?' as const),
      fiberDiameter: fc.constantFrom(0, -0, 1),
      polymer: fc.integer({ min: 1, max: 2 }),
      stable: fc.boolean(),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(values, { maxLength: 60 }), async (drawn) => {
      const columns = await columnsOf(
        drawn.map((one, at) => ({ ...one, rowId: at + 1, recordId: at + 1, validFrom: 1 })),
      );
      const texts = drawn.map(({ voltage, fiberDiameter, polymer, stable }) =>
        JSON.stringify([voltage ?? null, fiberDiameter ?? null, polymer ?? null, stable ?? null]),
      );
      const groups = [...Map.groupBy(texts, (text) => text).values()].filter(({ length }) => length > 1);
      expect(await repeats(columns, await matchingRows(readingOf(columns, 1), []))).toEqual({
        records: groups.flat().length,
        groups: groups.length,
      });
    }),
    { numRuns: runs(100) },
  );
});

test('a sample has the record ids with the smallest hashes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.integer({ min: 1, max: 2 ** 31 - 1 }), { minLength: 1, maxLength: 80 }),
      fc.integer({ min: 1, max: 90 }),
      async (recordIds, size) => {
        const last = await lastHashOf(Int32Array.from(recordIds), size);
        const chosen = recordIds.filter((recordId) => hashOfId(recordId) <= last);
        expect(chosen).toHaveLength(Math.min(size, recordIds.length));
        const smallest = recordIds.map(hashOfId).sort((a, b) => a - b);
        expect(chosen.map(hashOfId).sort((a, b) => a - b)).toEqual(smallest.slice(0, size));
      },
    ),
    { numRuns: runs(100) },
  );
});
