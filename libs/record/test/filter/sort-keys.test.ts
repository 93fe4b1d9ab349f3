import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseSort, sortKeyNames, sortText } from '../../src/filter/sort-keys.ts';
import { byCodePoint } from '../../src/filter/text-order.ts';

test('sortText and parseSort are inverse', () => {
  const key = fc.record({ key: fc.constantFrom(...sortKeyNames), descending: fc.boolean() });
  const keys = fc.uniqueArray(key, { minLength: 1, maxLength: 3, selector: (one) => one.key });
  fc.assert(
    fc.property(keys, (sort) => {
      expect(parseSort(sortText(sort))).toEqual({ sort });
    }),
  );
});

test.each([
  ['tip_collector_distance', 'tipDist'],
  ['fibreDiameter', 'fiberDiameter'],
  ['recordid', 'recordId'],
  ['DOI', 'doi'],
  ['published', 'publishedAt'],
])('"%s" is nearest to "%s"', (written, key) => {
  expect(parseSort(written)).toEqual({ problem: expect.stringContaining(`nearest: "${key}"`) });
});

test('texts are sorted by code points', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'B', '\uFFFD', '\uE000', '\u{1F600}', '\u{10FFFF}', '\uD7FF') });
  const plain = (one: string, other: string): number => {
    const [a, b] = [[...one], [...other]].map((points) => points.map((point) => point.codePointAt(0) ?? 0));
    for (let at = 0; at < Math.max(one.length, other.length); at += 1) {
      const difference = (a?.[at] ?? -1) - (b?.[at] ?? -1);
      if (difference !== 0) return Math.sign(difference);
    }
    return 0;
  };
  fc.assert(
    fc.property(text, text, (one, other) => {
      expect(Math.sign(byCodePoint(one, other))).toBe(plain(one, other));
    }),
  );
});
