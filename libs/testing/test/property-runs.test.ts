import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../src/property-runs.ts';

const expected = Number(process.env['ESD_PROPERTY_RUNS'] ?? 10);

test('a property runs ESD_PROPERTY_RUNS times, by default 10', () => {
  let ran = 0;
  fc.assert(
    fc.property(fc.nat(), () => {
      ran += 1;
    }),
  );
  expect(ran).toBe(expected);
});

test('runs() scales a custom number of runs', () => {
  expect([runs(100), runs(1_000), runs(15)]).toEqual([expected, expected * 10, Math.ceil((expected * 15) / 100)]);
});
