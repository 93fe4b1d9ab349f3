import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readableBins } from '../../src/explore/readable-bins.ts';
import { sortNumbers } from '../../src/read-index/distribution.ts';

const binsOf = (values: readonly number[], limit: number, isLog = false) =>
  readableBins(sortNumbers(Float64Array.from(values)), limit, isLog);
test('each of a few values has its own bin', () => {
  const values = [15, 10, 10, 12, 27.7];
  const { edges, eachValue, binOf } = binsOf(values, 15);
  expect([edges, eachValue]).toEqual([[10, 12, 15, 27.7, 27.7], true]);
  expect(values.map(binOf)).toEqual([2, 0, 0, 1, 3]);
  expect(binsOf([5, 5], 15).edges).toEqual([5, 5]);
  expect(binsOf([], 15).edges).toEqual([]);
});

test('more values have round edges, which are not the most common value', () => {
  const voltages = [5, 6, 7, 8, 10, 12, 14, 15, 15, 16, 17, 18, 20, 25, 30, 50];
  expect(binsOf(voltages, 14).edges).toEqual([2.5, 7.5, 12.5, 17.5, 22.5, 27.5, 32.5, 37.5, 42.5, 47.5, 52.5]);
  expect(binsOf(voltages, 9).edges).toEqual([0, 10, 20, 30, 40, 50]);
  const flows = [0.15, 0.2, 0.3, 0.4, 0.5, 0.5, 0.7, 1, 3, 4, 14.2];
  expect(binsOf(flows, 6, true).edges).toEqual([0.15, 0.3, 0.7, 1.5, 3, 7, 15]);
  expect(binsOf(flows, 5, true).edges).toEqual([0.1, 1, 10, 100]);
  // Within a decade, steps are easier to read than decades.
  expect(binsOf([2, 2.1, 2.2, 2.3, 2.4, 2.4, 3.5], 5, true).edges).toEqual([2, 2.5, 3, 3.5]);
});

test.each([
  ['steps', fc.integer({ min: -40, max: 400 }).map((one) => one / 4), false],
  ['decades', fc.integer({ min: 1, max: 4_000 }).map((one) => one / 100), true],
  ['any number', fc.double({ noNaN: true, noDefaultInfinity: true }), false],
  ['any positive number', fc.double({ noNaN: true, min: 1e-300, max: 1e300 }), true],
] as const)('%s: the bins cover all values and are few', (_, value, isLog) => {
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 60 }), fc.integer({ min: 3, max: 15 }), (values, limit) => {
      const { edges, eachValue, binOf } = binsOf(values, limit, isLog);
      const distinct = new Set(values.map((one) => (one === 0 ? 0 : one))).size;
      expect(edges.length - 1).toBeLessThanOrEqual(limit);
      expect(eachValue).toBe(distinct <= limit);
      for (const one of values) {
        const bin = binOf(one);
        expect(one).toBeGreaterThanOrEqual(edges[bin] ?? NaN);
        if (eachValue) expect(one === edges[bin]).toBe(true);
        else if (bin < edges.length - 2) expect(one).toBeLessThan(edges[bin + 1] ?? NaN);
        else expect(one).toBeLessThanOrEqual(edges[bin + 1] ?? NaN);
      }
    }),
  );
});

test('the most common value is never on an edge of steps', () => {
  const values = fc.uniqueArray(fc.integer({ min: 1, max: 200 }), { minLength: 16, maxLength: 60 });
  fc.assert(
    fc.property(values, fc.integer({ min: 1, max: 20 }), fc.boolean(), (found, tens, isLog) => {
      // Round values are the most common ones, and the most likely edges.
      const { edges, eachValue } = binsOf([...found, 10 * tens, 10 * tens], 15, isLog);
      expect(eachValue).toBe(false);
      expect(edges).not.toContain(10 * tens);
    }),
  );
});
