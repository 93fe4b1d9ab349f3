import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '@esd/testing/property-runs';
import { hashOfId, lastHashOf } from '../../src/explore/sample.ts';

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
