import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '@esd/testing/property-runs';
import { NumberColumn } from '../../src/read-index/coded-column.ts';
import { distributionOf, forEachNumber, numbersAt, rangeOf } from '../../src/read-index/distribution.ts';

const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, 1, 2, 1e300, -1e300, 5e-324),
);
const cell = fc.oneof({ weight: 5, arbitrary: number }, fc.constantFrom<'missing' | '?'>('missing', '?'));

test('a distribution of many or few rows equals that of the sorted numbers', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(cell, { minLength: 1, maxLength: 60 }), { minLength: 1, maxLength: 4 }),
      fc.array(fc.nat(300), { maxLength: 60 }),
      async (batches, drawn) => {
        const column = new NumberColumn(1);
        const cells: (typeof batches)[number] = [];
        for (const batch of batches) {
          const numbers = Float64Array.from(batch, (one) => (typeof one === 'number' ? one : NaN));
          column.appendNumbers(cells.length, numbers, (row) => batch[row] === '?');
          cells.push(...batch);
          // Sort in between, so that later codes are merged into a sorted column.
          await column.sorted();
        }
        for (const rows of [Int32Array.from(cells.keys()), Int32Array.from(drawn, (one) => one % cells.length)]) {
          const own = Array.from(rows, (row) => cells[row]);
          const numbers = own.filter((one) => typeof one === 'number').map((one) => one + 0);
          const sorted = Float64Array.from(numbers).sort();
          const distribution = await distributionOf(column, rows);
          expect(distribution).toMatchObject({
            count: sorted.length,
            missing: own.filter((one) => one === 'missing').length,
            notConvertible: own.filter((one) => one === '?').length,
          });
          // Sums over the numbers therefore depend neither on the order of the rows nor on rows of other revisions.
          const visited: [value: number, count: number][] = [];
          forEachNumber(distribution, (value, count) => visited.push([value, count]));
          const occurrences = Map.groupBy(sorted, (value) => value);
          expect(visited).toEqual([...occurrences].map(([value, equal]) => [value, equal.length]));
          expect(numbersAt(distribution, [...sorted.keys()])).toEqual([...sorted]);
          const [min, max] = [sorted.at(0), sorted.at(-1)];
          expect(rangeOf(distribution)).toEqual(min === undefined ? undefined : { min, max });
        }
      },
    ),
    { numRuns: runs(100) },
  );
});
