import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '@esd/testing/property-runs';
import { unitOf } from '../../src/sheet/read-heading.ts';
import {
  formattedText,
  isStruck,
  joinedText,
  withoutMarks,
  withoutStrike,
  withoutStruck,
} from '../../src/sheet/formatted-text.ts';
import { readSheet } from '../../src/sheet/read-sheet.ts';
import { NO_OPTIONS } from '../../src/sheet/sheet-options.ts';
import { references } from '../seed-lists.ts';
import { gridOf } from './grids.ts';

test.each([
  ['a', 'ᵃ'],
  ['12', '¹²'],
  ['-4', '⁻⁴'],
  ['–4', '⁻⁴'],
  ['+', '⁺'],
  ['(b)', '⁽ᵇ⁾'],
  [' a ', ' ᵃ '],
  ['  ', '  '],
  ['[1]', '^[1]'],
  ['a,b', '^a,b'],
  ['*', '^*'],
  ['µ', '^µ'],
  ['😀', '^😀'],
])('the superscripts of %j are %j', (text, expected) => {
  expect(formattedText(text, { isStruck: false, isSuperscript: true })).toBe(expected);
});

test.each([
  ['25ᵒC', '25°C'],
  ['25⁰C', '25°C'],
  ['10⁰', '10⁰'],
  ['2ᵒClock', '2ᵒClock'],
])('a cell with %j has the text %j', (text, expected) => {
  expect(joinedText(text)).toBe(expected);
});

test.each([
  ['PVAᵃ', 'PVA'],
  ['PVA^[1]', 'PVA'],
  ['PVA¹ (98 %)²', 'PVA (98 %)'],
  ['PEO 10⁶', 'PEO 10⁶'],
  ['PEO 10^6', 'PEO 10^6'],
  ['ᵃ', ''],
])('the name %j without marks is %j', (text, expected) => {
  expect(withoutMarks(text, (before) => /\d$/.test(before))).toBe(expected);
});

const texts = fc.string({ unit: fc.constantFrom(...Array.from('a1 é😀.\u0336¹')), maxLength: 12 });

test('struck text can be removed and restored', () => {
  fc.assert(
    fc.property(texts, texts, (plain, struck) => {
      const text =
        withoutStrike(plain) + formattedText(withoutStrike(struck), { isStruck: true, isSuperscript: false });
      expect(withoutStrike(text)).toBe(withoutStrike(plain + struck));
      expect(isStruck(withoutStruck(text))).toBe(false);
      expect(withoutStruck(text).trim()).toBe(withoutStrike(plain).trim());
    }),
    { numRuns: runs(300) },
  );
});

/** Returns the reading of one cell: its value, and whether a note or a problem tells of its formatting. */
function read(heading: string, cell: string): { value: unknown; isTold: boolean } {
  const grid = gridOf([
    ['Polymer', heading],
    ['PVA', cell],
  ]);
  const reading = readSheet(grid, { kind: 'csv', sheet: null, sheets: [] }, references, NO_OPTIONS);
  if ('kind' in reading) throw new Error(JSON.stringify(reading));
  const [row] = reading.rows;
  return { value: row?.item ?? row?.reason, isTold: row?.state === 'error' || reading.notes.length > 0 };
}

test('changing only the formatting of a text never changes a number without a note, choice, or error', () => {
  const run = fc.record({
    text: fc.oneof(
      fc.constantFrom('1', '10', '×10', '2.5', '-', '3', ' ', 'kV', 'nm', 'a', '±', '~', ','),
      fc.nat(99).map(String),
    ),
    isStruck: fc.boolean(),
    isSuperscript: fc.boolean(),
  });
  const heading = fc.constantFrom('Voltage (kV)', 'Diameter (nm)', 'pH', 'Needle', 'Humidity', 'Drum speed (rpm)');
  fc.assert(
    fc.property(heading, fc.array(run, { minLength: 1, maxLength: 4 }), (name, parts) => {
      const plain = parts.map(({ text }) => text).join('');
      const formatted = joinedText(parts.map(({ text, ...format }) => formattedText(text, format)).join(''));
      const { value, isTold } = read(name, formatted);
      if (!isTold) expect(value).toEqual(read(name, plain).value);
    }),
    { numRuns: runs(500) },
  );
});

test('a superscript is never a part of the number before it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 999 }), fc.stringMatching(/^[0-9a-z*+-]{1,3}$/), (number, mark) => {
      const { isTold } = read(
        'Voltage (kV)',
        `${number}${formattedText(mark, { isStruck: false, isSuperscript: true })}`,
      );
      expect(isTold).toBe(true);
    }),
    { numRuns: runs(200) },
  );
});

test('no name or unit of the reference lists loses superscripts that it needs', () => {
  const { polymers, solvents, units } = references.lists;
  for (const { name, aliases } of [...polymers, ...solvents]) {
    for (const text of [name, ...aliases]) expect(withoutMarks(text, (before) => /\d$/.test(before))).toBe(text);
  }
  for (const { unit, aliases } of units)
    for (const text of [unit, ...aliases]) expect(unitOf(references, text)?.unit).toBe(unit);
});
