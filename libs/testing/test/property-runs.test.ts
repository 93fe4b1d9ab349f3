import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../src/property-runs.ts';

const expected = Number(process.env['ESD_PROPERTY_RUNS'] ?? 10);

test('a property runs 10 times, or as often as ESD_PROPERTY_RUNS says', () => {
  let ran = 0;
  fc.assert(
    fc.property(fc.nat(), () => {
      ran += 1;
    }),
  );
  expect(ran).toBe(expected);
});

test('a number of its own is scaled in the same way', () => {
  expect([runs(100), runs(1_000), runs(15)]).toEqual([expected, expected * 10, Math.ceil((expected * 15) / 100)]);
});
