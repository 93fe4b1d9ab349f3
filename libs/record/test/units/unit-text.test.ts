import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '@esd/testing/property-runs';
import { resolveName } from '../../src/reference/reference.ts';
import { references } from '../seed-lists.ts';

const unitOf = (text: string): string => {
  const resolution = resolveName(references, 'units', text);
  return resolution.kind === 'found' ? resolution.entry.unit : resolution.kind;
};

/** Texts of units, each with the unit of the list. */
const TABLE = `
µL min-1 → µL/min
µL min^-1 → µL/min
µl min⁻¹ → µL/min
µL/min. → µL/min
µLmin-1 → µL/min
microliters per minute → µL/min
mL·h⁻¹ → mL/h
ml hr^-1 → mL/h
mL . h-1 → mL/h
mL*h^-1 → mL/h
mL × h⁻¹ → mL/h
cc / hours → mL/h
cm³ min⁻¹ → mL/min
cm3/day → mL/day
ml d⁻¹ → mL/day
ml/24h → mL/day
㎛ → µm
㎸ → kV
㎖ → mL
㎝ → cm
㎜ → mm
℃ → °C
％ → %
ｋＶ → kV
deg. C → °C
F → °F
Hours → h
mins → min
microns → µm
kV. → kV
ft. → ft
Feet → ft
Å → Å
Angstroms → Å
W·m⁻¹·K⁻¹ → W/mK
W K-1 m-1 → W/mK
W/(m × K) → W/mK
g m⁻² d⁻¹ → g/m²/day
mg cm⁻³ → mg/cm³
mol dm-3 → mol/L
mPa sec → mPa·s
N·m⁻¹ → N/m
vol.-% → vol%
Vol.-% → vol%
Gew.-% → wt%
mol.-% → mol%
% (w / w) → wt%
% R. H. → % RH
U/min → rpm
1/min → rpm
v / v → v/v
`
  .split('\n')
  .filter((line) => line !== '');

test.each(TABLE)('%s', (line) => {
  const [text = '', unit = ''] = line.split(' → ');
  expect(unitOf(text)).toBe(unit);
});

test.each([
  'kV¹',
  'kV²',
  'kVᵃ',
  'kV*',
  '*kV',
  'kV·',
  'kV1',
  'cm⁻¹',
  'h⁻¹',
  'kV a',
  'kV cm',
  'g/m3',
  'ppm',
  'drops/min',
  'foo/bar',
  'foo%',
  '%%',
  '.',
  '/',
  '1',
  '100',
  'm s',
  'µL '.repeat(30),
])('%j is no unit', (text) => {
  expect(unitOf(text)).toBe('unknown');
});

test('every spelling of a factor works in every unit that has it', () => {
  const factors = references.lists.units.filter(({ unit }) => ['µL', 'mL', 'L', 'min', 'h', 's'].includes(unit));
  const spellings = new Map(factors.map(({ unit, name, aliases }) => [unit, [unit, name, ...aliases]]));
  const flows = references.lists.units.flatMap(({ unit }) => {
    const [volume = '', time = ''] = unit.split('/');
    const [ofVolume, ofTime] = [spellings.get(volume), spellings.get(time)];
    return ofVolume && ofTime ? [{ unit, ofVolume, ofTime }] : [];
  });
  expect(flows.map(({ unit }) => unit)).toEqual(['mL/h', 'µL/min', 'mL/min', 'µL/h', 'µL/s', 'L/h', 'L/min']);
  const joined = fc.constantFrom(
    (a: string, b: string) => `${a}/${b}`,
    (a: string, b: string) => `${a} / ${b}.`,
    (a: string, b: string) => `${a} per ${b}`,
    (a: string, b: string) => `${a} ${b}-1`,
    (a: string, b: string) => `${a}·${b}⁻¹`,
    (a: string, b: string) => `${b}^-1*${a}`,
  );
  const spelled = fc.constantFrom(...flows).chain(({ unit, ofVolume, ofTime }) =>
    fc.record({
      unit: fc.constant(unit),
      a: fc.constantFrom(...ofVolume),
      b: fc.constantFrom(...ofTime),
      join: joined,
    }),
  );
  fc.assert(
    fc.property(spelled, ({ unit, a, b, join }) => {
      expect([join(a, b), unitOf(join(a, b))]).toEqual([join(a, b), unit]);
    }),
    { numRuns: runs(500) },
  );
});
