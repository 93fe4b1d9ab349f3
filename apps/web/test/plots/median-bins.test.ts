import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { binRanges, medianBins } from '../../src/plots/median-bins.ts';

const scale = fc.constantFrom('linear' as const, 'log' as const);
const value = fc.integer({ min: 1, max: 40_000 }).map((tenths) => tenths / 10);
const points = fc.array(fc.tuple(value, value), { minLength: 1, maxLength: 200 });

/** The quantile of type 7: the value at the rank (n − 1) p, interpolated. */
function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const rank = (sorted.length - 1) * share;
  const [low = NaN, high = NaN] = [sorted[Math.floor(rank)], sorted[Math.ceil(rank)]];
  return low + (high - low) * (rank - Math.floor(rank));
}

test('each range has the quartiles of its own points, and no range of fewer than five points is shown', () => {
  fc.assert(
    fc.property(scale, points, (scale, list) => {
      const ranges = binRanges(
        scale,
        list.map(([x]) => x),
      );
      const found = medianBins(ranges, list);
      const own = ranges.map(([from, to], at) =>
        list.flatMap(([x, y]) =>
          (from === to ? x === from : x >= from && (x < to || (at === ranges.length - 1 && x === to))) ? [y] : [],
        ),
      );
      expect(own.flat()).toHaveLength(list.length);
      const shown = own.flatMap((values, at) => (values.length < 5 ? [] : [{ values, range: ranges[at] }]));
      expect(found.map(({ from, to, count }) => [from, to, count])).toEqual(
        shown.map(({ values, range = [NaN, NaN] }) => [...range, values.length]),
      );
      for (const [at, { q25, median, q75 }] of found.entries()) {
        const values = shown[at]?.values ?? [];
        for (const [share, figure] of [
          [0.25, q25],
          [0.5, median],
          [0.75, q75],
        ] as const) {
          expect(figure).toBeCloseTo(quantile(values, share), 6);
        }
      }
    }),
  );
});

test('up to 15 different values have a range each; more have round ranges, none of which begins at the most frequent value', () => {
  fc.assert(
    fc.property(scale, fc.array(value, { minLength: 1, maxLength: 200 }), (scale, values) => {
      const ranges = binRanges(scale, values);
      const distinct = new Set(values);
      if (distinct.size <= 15) {
        expect(ranges).toEqual([...distinct].sort((a, b) => a - b).map((one) => [one, one]));
        return;
      }
      const countOf = (one: number): number => values.filter((other) => other === one).length;
      const most = Math.max(...values.map(countOf));
      const edges = ranges.slice(1).map(([from]) => from);
      const modes = [...distinct].filter((one) => countOf(one) === most);
      expect(edges).not.toContain(Math.min(...modes));
      expect(ranges.length).toBeLessThan(25);
    }),
  );
  expect(
    binRanges(
      'linear',
      Array.from({ length: 21 }, (_, at) => at + 10.5),
    ),
  ).toContainEqual([12, 14]);
});
