import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '@esd/testing/property-runs';
import { resolveName } from '../../src/reference/reference.ts';
import type { UnitEntry } from '../../src/reference/reference.ts';
import { convert } from '../../src/units/units.ts';
import { references, seedLists } from '../seed-lists.ts';

function unit(name: string): UnitEntry {
  const resolution = resolveName(references, 'units', name);
  if (resolution.kind !== 'found') throw new Error(`${name} is not a unit of the seeds`);
  return resolution.entry;
}

const pairs = seedLists.units.flatMap((from) =>
  seedLists.units.filter((to) => to.dimension === from.dimension).map((to) => [from, to] as const),
);
const convertible = pairs.filter(([from]) => from.factor !== undefined);

describe('exact conversions', () => {
  test.each([
    [12000, 'V', 12, 'kV'],
    [0.5, 'µm', 500, 'nm'],
    [5, 'µL/min', 0.3, 'mL/h'],
    [1.1, 'µL/min', 0.066, 'mL/h'],
    [298.15, 'K', 25, '°C'],
    [25, '°C', 298.15, 'K'],
    [0, 'K', -273.15, '°C'],
    [212, '°F', 100, '°C'],
    [-40, '°F', -40, '°C'],
    [300, 'K', 80.33, '°F'],
    [37, '°C', 98.6, '°F'],
    [90, 'min', 1.5, 'h'],
    [60, 'mg/h', 1, 'mg/min'],
    [0.07, 'm', 7, 'cm'],
    [4.35, 'g/cm³', 4350, 'g/L'],
    [0.1, 'g/kg', 0.01, 'wt%'],
    [1, 'in', 25.4, 'mm'],
    [60, 'µm/min', 1, 'µm/s'],
    [24, 'g/m²/day', 0.1, 'mg/cm²/hr'],
    [180, '°', 3.141592653589793, 'rad'],
    [0, 'V', 0, 'kV'],
    [-15, 'kV', -15000, 'V'],
    [1e-300, 'V', 1e-303, 'kV'],
    [5e-324, 'm', 5e-315, 'nm'],
    [3, 'darcy', 3000, 'mdarcy'],
  ])('%f %s is %f %s', (value, from, expected, to) => {
    expect(convert(value, unit(from), unit(to))).toBe(expected);
  });
});

test('impossible conversions return undefined', () => {
  expect(convert(1, unit('g/L'), unit('wt%'))).toBeUndefined();
  expect(convert(1, unit('%'), unit('wt%'))).toBeUndefined();
  expect(convert(22, unit('G'), unit('mm'))).toBeUndefined();
  expect(convert(22, unit('G'), unit('G'))).toBe(22);
  expect(convert(Infinity, unit('V'), unit('kV'))).toBeUndefined();
  expect(convert(NaN, unit('V'), unit('V'))).toBeUndefined();
  expect(convert(1, unit('V'), { ...unit('kV'), unit: 'none', factor: 0 })).toBeUndefined();
  expect(convert(1e308, unit('m'), unit('nm'))).toBeUndefined();
});

test('a round trip over any two units of a dimension returns the value', () => {
  expect(convertible.length).toBeGreaterThan(500);
  const value = fc.double({ noNaN: true, min: -1e15, max: 1e15 }).filter((v) => v === 0 || Math.abs(v) > 1e-15);
  fc.assert(
    fc.property(fc.constantFrom(...convertible), value, ([from, to], v) => {
      const there = convert(v, from, to);
      expect(there).toBeDefined();
      const back = convert(there ?? NaN, to, from);
      // Each conversion rounds once, by half a unit in the last place; an offset adds an error to small values.
      const scale = Math.max(Math.abs(v), Math.abs(convert(1, to, from) ?? 0) * Math.abs(there ?? 0), 1e-300);
      expect(Math.abs((back ?? NaN) - v) / scale).toBeLessThanOrEqual(4 * Number.EPSILON);
    }),
    { numRuns: runs(1_000) },
  );
});

test('a round trip is exact for up to 12 digits if the factors are powers of ten', () => {
  const tens = convertible.filter(([from, to]) => {
    const ratio = Math.log10((from.factor ?? NaN) / (to.factor ?? NaN));
    return Math.abs(ratio - Math.round(ratio)) < 1e-12 && from.offset === to.offset;
  });
  expect(tens.length).toBeGreaterThan(250);
  const decimal = fc.tuple(
    fc.integer({ min: -999_999_999_999, max: 999_999_999_999 }),
    fc.integer({ min: -12, max: 6 }),
  );
  fc.assert(
    fc.property(fc.constantFrom(...tens), decimal, ([from, to], [digits, power]) => {
      const value = Number(`${digits}e${power}`);
      const shift = Math.round(Math.log10((from.factor ?? NaN) / (to.factor ?? NaN)));
      expect(convert(value, from, to)).toBe(from === to ? value : Number(`${digits}e${power + shift}`) + 0);
    }),
    { numRuns: runs(1_000) },
  );
});

test('conversion preserves the order of values', () => {
  const value = fc.double({ noNaN: true, min: -1e9, max: 1e9 });
  fc.assert(
    fc.property(fc.constantFrom(...convertible), value, value, ([from, to], a, b) => {
      const [low, high] = a <= b ? [a, b] : [b, a];
      expect(convert(low, from, to) ?? NaN).toBeLessThanOrEqual(convert(high, from, to) ?? NaN);
    }),
    { numRuns: runs(1_000) },
  );
});
