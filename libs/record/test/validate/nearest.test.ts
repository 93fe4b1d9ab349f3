import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '@esd/testing/property-runs';
import { editDistance, nearest, withSuggestions } from '../../src/validate/nearest-names.ts';
import { ProblemList } from '../../src/validate/problems.ts';

/** The textbook definition: unbounded restricted Damerau-Levenshtein distance over the whole table. */
function plainDistance(from: string, to: string): number {
  const table = Array.from({ length: from.length + 1 }, () => new Array<number>(to.length + 1).fill(0));
  const at = (i: number, j: number): number => table[i]?.[j] ?? Infinity;
  for (let i = 0; i <= from.length; i++) {
    for (let j = 0; j <= to.length; j++) {
      const same = from[i - 1] === to[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const row = table[i];
      if (row === undefined) continue;
      row[j] =
        i === 0 || j === 0
          ? i + j
          : Math.min(
              at(i - 1, j) + 1,
              at(i, j - 1) + 1,
              at(i - 1, j - 1) + same,
              swapped ? at(i - 2, j - 2) + 1 : Infinity,
            );
    }
  }
  return at(from.length, to.length);
}

test('the bounded distance equals the plain one within the bound', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 });
  fc.assert(
    fc.property(text, text, fc.integer({ min: 0, max: 4 }), (from, to, limit) => {
      const plain = plainDistance(from, to);
      expect(editDistance(from, to, limit)).toBe(plain <= limit ? plain : undefined);
    }),
    { numRuns: runs(1_000) },
  );
});

test('returns at most three names that share letters, nearest first', () => {
  const names = ['voltage', 'voltageUnit', 'flowRate', 'pH'].map((name) => [name.toLowerCase(), name] as const);
  expect(nearest('voltgae', names)).toEqual(['voltage']);
  expect(nearest('flowrates', names)).toEqual(['flowRate']);
  expect(nearest('ab', names)).toEqual([]);
  expect(nearest('', names)).toEqual([]);
  const many = ['aaab', 'aaac', 'aaad', 'aaae', 'aaaa'].map((name) => [name, name] as const);
  expect(nearest('aaaa', many)).toEqual(['aaaa', 'aaab', 'aaac']);
});

test('a hostile text is fast and does not throw', () => {
  const names = Array.from({ length: 2_000 }, (_, i) => [`name${i}`.repeat(8), `name${i}`] as const);
  const started = process.cpuUsage();
  for (let i = 0; i < 100; i++) expect(nearest('n'.repeat(10_000_000 - i), names)).toEqual([]);
  // Processor time, because other processes may run.
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(5_000);
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => nearest(text, names).length <= 3));
});

test('a budget limits the searches only while it is active', () => {
  const suggestions = { left: 2 };
  const found = (): string[] => nearest('pvaa', [['pva', 'PVA']]);
  expect([1, 2, 3].map(() => withSuggestions(suggestions, found))).toEqual([['PVA'], ['PVA'], []]);
  expect(() =>
    withSuggestions(suggestions, () => {
      throw new Error('of a test');
    }),
  ).toThrow('of a test');
  expect(found()).toEqual(['PVA']);
});

test('a list of problems suggests names for the first 20', () => {
  const list = new ProblemList();
  for (let index = 0; index < 1_500; index++) {
    list.add('p', 'UNKNOWN_POLYMER', () => nearest('pvaa', [['pva', 'PVA']]).join());
  }
  expect([list.count, list.problems.length]).toEqual([1_500, 1_000]);
  expect(list.problems.filter(({ message }) => message === 'PVA')).toHaveLength(20);
});
