import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cellText } from '@esd/record/sheet/unreadable-cell';
import { runs } from '@esd/testing/property-runs';
import { formatOfCode, formatOfId, formattedNumber } from '../../src/workbook-import/number-formats.ts';

/** `number`, `date`, or what a number of the format becomes: its value, its note, and the text that the cell shows. */
function meaning(id: number, code: string | undefined, number: number): string {
  const format = code === undefined ? formatOfId(id) : formatOfCode(code);
  const cell = typeof format === 'string' ? format : formattedNumber(number, format);
  if (typeof cell !== 'object') return typeof cell === 'number' ? 'number' : cell;
  return `${cellText(cell)} (${cell.format}: ${cell.shown})`;
}

test.each<[id: number, code: string | undefined, number: number, meaning: string]>([
  [0, undefined, 15, 'number'],
  [2, undefined, 15, 'number'],
  [9, undefined, 0.456, '45.6 % (percent-format: 46%)'],
  [10, undefined, 0.29, '29 % (percent-format: 29.00%)'],
  [14, undefined, 15, 'date'],
  [22, undefined, 15, 'date'],
  [46, undefined, 15, 'date'],
  [49, undefined, 15, 'number'],
  [164, '', 15, 'number'],
  [164, 'General', 15, 'number'],
  [164, '@', 15, 'number'],
  [164, '#,##0.00', 15, 'number'],
  [164, '# ##0.00', 15, 'number'],
  [164, '0.00E+00', 15, 'number'],
  [164, '# ?/?', 0.5, 'number'],
  [164, '[Red]0.0;[Blue]-0.0', -15, 'number'],
  [164, '0.0_);(0.0)', -15, 'number'],
  [164, '_-* #,##0.00\\ _€_-;-* #,##0.00\\ _€_-;_-* "-"??\\ _€_-;_-@_-', 15, 'number'],
  [164, '_(* #,##0_);_(* (#,##0);_(* "-"??_);_(@_)', 0, 'number'],
  [164, '[$-409]d/m/yy', 15, 'date'],
  [164, 'yyyy-mm-dd', 15, 'date'],
  [164, '[h]:mm', 15, 'date'],
  [164, '[ss].00', 15, 'date'],
  [164, '0.0 %', 0.45, '45 % (percent-format: 45.0 %)'],
  [164, '0%;[Red]-0%', -0.45, '-45 % (percent-format: -45%)'],
  [164, '0.0"%"', 45, '45 % (format-unit: 45.0%)'],
  [164, '0.0 "days"', 15, '15 days (format-unit: 15.0 days)'],
  [164, '0\\m', 15, '15 m (format-unit: 15m)'],
  [164, '0.0" kV"', 15.26, '15.26 kV (format-unit: 15.3 kV)'],
  [164, '0.0 kV', 15, '15 kV (format-unit: 15.0 kV)'],
  [164, '0.0 [$kV]', 15, '15 kV (format-unit: 15.0 kV)'],
  [164, '0.0 [$€-407]', 15, '15 € (format-unit: 15.0 €)'],
  [164, '0.##" kV"', 1.5, '1.5 kV (format-unit: 1.5 kV)'],
  [164, '#,##0" V"', 1234567, '1234567 V (format-unit: 1,234,567 V)'],
  [164, '0.0" kV";-0.0" kV"', -3, '-3 kV (format-unit: -3.0 kV)'],
  [164, '0.0" kV";(0.0" kV)"', -3, '-3 kV (format-unit: (3.0 kV))'],
  [164, 'General" kV"', 1.5, '1.5 kV (format-unit: 1.5 kV)'],
  [164, '0.0E+00" Pa"', 15, '15 Pa (format-unit: 15 Pa)'],
  [164, '0" ×10³ Pa"', 2, '2 ×10³ Pa (format-unit: 2 ×10³ Pa)'],
  [164, '"~"0', 15, '~15 (format-unit: ~15)'],
  [164, '[>=1000]0.0," kV";0" V"', 15_000, '15 kV (format-unit: 15.0 kV)'],
  [164, '[>=1000]0.0," kV";0" V"', 15, '15 V (format-unit: 15 V)'],
  [164, '[<>0]0" V";"none"', 15, '15 V (format-unit: 15 V)'],
  [164, '[<>0]0" V";"none"', 0, '0 (format-scaled: none)'],
  [164, '0,', 15_000, '15000 (format-scaled: 15)'],
  [164, '0.0,,', 15_000_000, '15000000 (format-scaled: 15.0)'],
  [164, '0.0,"k"', 15_000, '15000 (format-scaled: 15.0k)'],
  [164, ';;;', 15, '15 (format-scaled: )'],
  [164, '0;;', -15, '-15 (format-scaled: )'],
  [164, '0.0;[Red]0.0', -15, '-15 (format-scaled: 15.0)'],
  [164, '0.0;-0.0;"n.d."', 0, '0 (format-scaled: n.d.)'],
  [164, '00-00', 1234, '1234 (format-scaled: 12-34)'],
  [164, '0"00"', 15, '15 (format-scaled: 1500)'],
])('a number of format %p %p is %p', (id, code, number, expected) => {
  expect(meaning(id, code, number)).toBe(expected);
});

const codes = fc.string({ unit: fc.constantFrom(...Array.from('[]"\\\\_*%hHmsdy0#-;$R.,E+g?')), maxLength: 14 });

test('a format code is parsed according to ECMA-376, with any brackets and quotes', () => {
  // Backtracking is harmless in a short text.
  const isDate = (code: string): boolean =>
    /[ymdhs]/i.test(code.replace(/"[^"]*"?|[\\\\_*].|\[(?!h+\]|m+\]|s+\])[^\]]*\]/gis, ''));
  fc.assert(
    fc.property(codes, (code) => {
      expect(formatOfCode(code) === 'date').toBe(isDate(code));
    }),
    { numRuns: runs(1_000) },
  );
});

test('any format keeps the stored number, with the power of ten that the cell shows', () => {
  fc.assert(
    fc.property(codes, fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }), (code, number) => {
      const format = formatOfCode(code);
      if (typeof format === 'string') return;
      const cell = formattedNumber(number, format);
      if (typeof cell === 'number' || cell.format === 'format-scaled') {
        expect(typeof cell === 'number' ? cell : cell.value).toBe(number);
      } else {
        expect(cell.shown?.length).toBeGreaterThan(0);
      }
    }),
    { numRuns: runs(1_000) },
  );
});

test.each(['[', '"', '\\', ']', '0', ',', '%', '#.', ';'])(
  'a format code of 255 times %p is accepted, and a longer one is rejected',
  (character) => {
    const code = character.repeat(255).slice(0, 255);
    expect(() => meaning(164, code, 12.5)).not.toThrow();
    expect(() => formatOfCode(`${code}0`)).toThrow(/256 characters; the limit is 255/);
  },
);
