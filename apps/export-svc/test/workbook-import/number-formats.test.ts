import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '@esd/testing/property-runs';
import { meaningOfCode, meaningOfId } from '../../src/workbook-import/number-formats.ts';

test.each<[id: number, code: string | undefined, meaning: string]>([
  [0, undefined, 'number'],
  [2, undefined, 'number'],
  [9, undefined, 'percent'],
  [10, undefined, 'percent'],
  [14, undefined, 'date'],
  [22, undefined, 'date'],
  [46, undefined, 'date'],
  [49, undefined, 'number'],
  [164, 'General', 'number'],
  [164, '#,##0.00', 'number'],
  [164, '0.00E+00', 'number'],
  [164, '0.0 "days"', 'number'],
  [164, '0\\m', 'number'],
  [164, '[Red]0.0;[Blue]-0.0', 'number'],
  [164, '[$-409]d/m/yy', 'date'],
  [164, 'yyyy-mm-dd', 'date'],
  [164, '[h]:mm', 'date'],
  [164, '[ss].00', 'date'],
  [164, '0.0 %', 'percent'],
  [164, '0.0"%"', 'number'],
])('numbers of format %p %p have the meaning %p', (id, code, meaning) => {
  expect(code === undefined ? meaningOfId(id) : meaningOfCode(code)).toBe(meaning);
});

test('a format code is parsed according to ECMA-376, with any brackets and quotes', () => {
  // Backtracking is harmless in a short text.
  const byExpression = (code: string): string => {
    const plain = code.replace(/"[^"]*"?|[\\_*].|\[(?!h+\]|m+\]|s+\])[^\]]*\]/gis, '');
    if (/[ymdhs]/i.test(plain)) return 'date';
    return plain.includes('%') ? 'percent' : 'number';
  };
  const characters = fc.constantFrom(...Array.from('[]"\\_*%hHmsdy0#-;$R'));
  fc.assert(
    fc.property(fc.string({ unit: characters, maxLength: 14 }), (code) => {
      expect(meaningOfCode(code)).toBe(byExpression(code));
    }),
    { numRuns: runs(1_000) },
  );
});

test.each(['[', '"', '\\', ']'])(
  'a format code of 255 times %p is accepted, and a longer one is rejected',
  (character) => {
    expect(meaningOfCode(character.repeat(255))).toBe('number');
    expect(() => meaningOfCode(character.repeat(256))).toThrow(/256 characters; the limit is 255/);
  },
);
