import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '@esd/testing/property-runs';
import { hashOfId, sampleRows } from '../../src/explore/sample.ts';

test('a sample has the record ids with the smallest hashes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.integer({ min: 1, max: 2 ** 31 - 1 }), { minLength: 1, maxLength: 80 }),
      fc.integer({ min: 1, max: 90 }),
      async (recordIds, size) => {
        const columns = { recordId: Int32Array.from(recordIds) };
        const sample = await sampleRows(columns, Int32Array.from(recordIds.keys()), size);
        const chosen = Array.from(sample, (slot) => recordIds[slot] ?? 0);
        expect([...sample]).toEqual([...sample.toSorted()]);
        expect(chosen).toHaveLength(Math.min(size, recordIds.length));
        const smallest = recordIds.map(hashOfId).sort((a, b) => a - b);
        expect(chosen.map(hashOfId).sort((a, b) => a - b)).toEqual(smallest.slice(0, size));
      },
    ),
    { numRuns: runs(100) },
  );
});
