import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fromOrderedBits, orderedBits } from '../src/read-index/ordered-bits.ts';

const finite = fc.double({ noDefaultInfinity: true, noNaN: true });

test('integers compare as the numbers do', () => {
  fc.assert(
    fc.property(finite, finite, (a, b) => {
      expect(orderedBits(a) < orderedBits(b)).toBe(a < b);
      expect(orderedBits(a) === orderedBits(b)).toBe(a === b);
    }),
  );
});

test('every number comes back, minus zero as zero', () => {
  fc.assert(
    fc.property(finite, (value) => {
      expect(fromOrderedBits(orderedBits(value))).toBe(value + 0);
    }),
  );
  expect(fromOrderedBits(orderedBits(-0))).toBe(0);
});
