import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { features } from '../../src/filter/filter-keys.ts';
import { displayUnits, fromDisplay, toDisplay } from '../../src/units/display-units.ts';
import { seedLists } from '../seed-lists.ts';

test('display units are in the unit list, filter unit first', () => {
  for (const { feature, unit } of features) {
    const units = displayUnits(feature);
    expect(units[0]?.unit ?? unit).toBe(unit);
    for (const { unit: name, dimension, factor, offset } of units) {
      const listed = seedLists.units.find((entry) => entry.unit === name);
      expect([name, dimension, factor, offset]).toEqual([name, listed?.dimension, listed?.factor, listed?.offset]);
      expect(dimension).toBe(units[0]?.dimension);
    }
  }
});

test('a value typed in a display unit is shown unchanged', () => {
  const choice = fc.constantFrom(
    ...features.flatMap(({ feature }) => displayUnits(feature).map(({ unit }) => ({ feature, unit }))),
  );
  const typed = fc.integer({ min: -99_999, max: 99_999 }).map((digits) => digits / 100);
  fc.assert(
    fc.property(choice, typed, ({ feature, unit }, value) => {
      expect(toDisplay(feature, fromDisplay(feature, value, unit), unit)).toBeCloseTo(value, 9);
    }),
  );
  expect(toDisplay('fiberDiameter', 386, 'µm')).toBe(0.386);
  expect(fromDisplay('voltage', 12_000, 'V')).toBe(12);
  expect(toDisplay('temp', 25, 'K')).toBe(298.15);
  expect(toDisplay('voltage', 15, 'furlong')).toBe(15);
});
