import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '@esd/testing/property-runs';
import { headingWords } from '../../src/catalog/heading-words.ts';
import { readHeading } from '../../src/sheet/read-heading.ts';
import { references } from '../seed-lists.ts';

/**
 * Headings, each with its reading: `column [unit]` and the texts that are no unit in round brackets, or `ask: candidates`
 * and its reason.
 */
const TABLE = `
Fiber diameter [Å] → fiber_diameter [Å]
Temp. (F) → temperature [°F]
Conc. [Vol.-%] → solution_concentration [vol%]
Conc. (Gew.-%) → solution_concentration [wt%]
Flow rate (mL/day) → flow_rate [mL/day]
Flow rate (µL min⁻¹) → flow_rate [µL/min]
Distance (ft) → tip_collector_distance [ft]
Drum speed (U/min) → collector_definition [rpm]
Conc. (% (v/v)) → solution_concentration [vol%]
Thermal conductivity, W/(m·K) → thermal_conductivity [W/mK]
Thermal conductivity (W/(m·K)) → thermal_conductivity [W/mK]
Voltage：kV → voltage [kV]
Voltage（kV） → voltage [kV]
Voltage【kV】 → voltage [kV]
Conc. (ppm) → ask: solution_concentration {the unit "ppm" is unknown}
Conc. (g/m3) → ask: solution_concentration {the unit "g/m3" is unknown}
Flow rate (drops/min) → ask: flow_rate {the unit "drops/min" is unknown}
Voltage [foo/bar] → ask: voltage {the unit "foo/bar" is unknown}
Flow rate / foo/bar → ask: flow_rate {the unit "foo/bar" is unknown}
Voltage, foo bar → ask: voltage {the unit "foo bar" is unknown}
Voltage in foo-bar. → ask: voltage {the unit "foo-bar." is unknown}
Solvent ratio (mol/mol) → ask: solvent_components {the unit "mol/mol" is unknown}
Diameter (by SEM) [nm] → fiber_diameter [nm] (by SEM)
Diameter (inner) → ask: fiber_diameter {the unit "inner" is unknown}
Diameter (mean) → fiber_diameter (mean)
Diameter (mean ± SD) → fiber_diameter (mean ± SD)
Diameter (n = 50) → fiber_diameter (n = 50)
Diameter (2) → fiber_diameter (2)
Diameter (n = N) → fiber_diameter (n = N)
Diameter (mean, nm) → fiber_diameter [nm] (mean)
Diameter (nm, n = 50) → fiber_diameter [nm] (n = 50)
Diameter, mean → fiber_diameter (mean)
Diameter, SD → fiber_diameter_variation
Voltage (applied) → voltage (applied)
Voltage (U) → voltage (U)
Distance (d) [cm] → tip_collector_distance [cm] (d)
Distance (TCD) → tip_collector_distance (TCD)
Distance (needle to collector) → tip_collector_distance (needle to collector)
Temperature (chamber) → temperature (chamber)
Conductivity (solution) → solution_conductivity (solution)
Conc. (PVA) wt% → solution_concentration [wt%] (PVA)
Solvent ratio (DMF:acetone) → solvent_components (DMF:acetone)
Polymer (Sigma) → polymer(s) (Sigma)
Diameter (needle) → ask: needle_definition, fiber_diameter {"needle" contradicts the field}
Diameter, collector → ask: fiber_diameter {"collector" contradicts the field}
Temperature (solution) → ask: temperature {"solution" contradicts the field}
Strength (fibers) → tensile_strength (fibers)
Spannung [kV] → voltage [kV]
Konzentration (Gew.-%) → solution_concentration [wt%]
Lösungsmittel 1 → solvent(s)
Nadel-Kollektor-Abstand (cm) → tip_collector_distance [cm]
rel. Luftfeuchte (%) → humidity [%]
Durchmesser (Mittelwert) → fiber_diameter (Mittelwert)
Durchmesser (mm) → ask: needle_definition, fiber_diameter
E-Modul (MPa) → modulus [MPa]
pH-Wert → solution_ph
电压（kV） → voltage [kV]
电压kV → voltage [kV]
浓度/wt% → solution_concentration [wt%]
平均直径：nm → fiber_diameter [nm]
相对湿度（%） → humidity [%]
溶剂1 → solvent(s)
X1: Voltage (kV) → voltage [kV] (X1:)
Y: Fiber diameter (nm) → fiber_diameter [nm] (Y:)
Total conc. (wt%) → solution_concentration [wt%] (Total)
Mittlerer Faserdurchmesser (nm) → fiber_diameter [nm] (Mittlerer)
% (w/w) → solution_concentration [wt%]
Fiber diameter, mean (µm) → fiber_diameter [µm] (mean)
SD temperature (°C) → ask:
Median diameter (nm) → ask: fiber_diameter
Temperature, SD (°C) → ask:
Solvent/polymer ratio (w/w) → ask:
kV → voltage [kV]
mL/h → flow_rate [mL/h]
Electrical conductivity (µS/cm) → solution_conductivity [µS/cm]
Electrical conductivity, S/m → electrical_conductivity [S/m]
Electrical conductivity → ask: solution_conductivity, electrical_conductivity
`
  .split('\n')
  .filter((line) => line !== '');

function readingOf(heading: string): string {
  const { state, reads, unit, candidates, reason, dropped } = readHeading(heading, undefined, references, true);
  const unitText = unit === undefined ? '' : ` [${unit.unit}]`;
  const droppedText = dropped.length === 0 ? '' : ` (${dropped.join(', ')})`;
  if (state === 'read') return `${reads}${unitText}${droppedText}`;
  return `${state}: ${candidates.join(', ')}${reason === null ? '' : ` {${reason}}`}`;
}

test.each(TABLE)('%s', (line) => {
  const [heading = '', expected = ''] = line.split(' → ');
  expect(readingOf(heading).trim()).toBe(expected);
});

test('every column with synonyms has German and Chinese ones, which read as this column', () => {
  for (const [column, words] of Map.groupBy(headingWords, (one) => one.column)) {
    // A DOI has no other name.
    if (column === 'doi') continue;
    const others = words.flatMap(({ synonyms = [] }) =>
      synonyms.length > 1 && synonyms.some((synonym) => /\p{Script=Han}/u.test(synonym)) ? [synonyms] : [],
    );
    expect([column, others.at(-1)]).toEqual([column, expect.arrayContaining([expect.stringMatching(/^\p{ASCII}/u)])]);
    for (const synonym of others.at(-1) ?? []) expect([synonym, readingOf(synonym)]).toEqual([synonym, column]);
  }
});

describe('a column that asks for its unit', () => {
  test('lists the units of its field, the default unit first', () => {
    const choices = (heading: string) => readHeading(heading, undefined, references, true).choices;
    expect(choices('Temp (foo)')).toEqual(['°C', 'K', '°F']);
    expect(choices('Porosity (foo)')).toEqual(['percent', '% RH', 'fraction', 'vol%']);
    expect(choices('Temp (K)')).toEqual([]);
  });

  test('is read with a chosen unit, and its text is no unit then', () => {
    const unit = references.lists.units.find((one) => one.unit === 'mL/h');
    expect(readHeading('Flow (drops/min)', undefined, references, true, { unit })).toMatchObject({
      state: 'read',
      reads: 'flow_rate',
      unit: { unit: 'mL/h' },
      dropped: ['drops/min'],
    });
  });

  test('asks for it in another field, too', () => {
    expect(readHeading('Foo [bar baz]', undefined, references, true, { column: 'voltage' })).toMatchObject({
      state: 'ask',
      candidates: ['voltage'],
      reason: 'the unit "bar baz" is unknown',
    });
  });
});

test('a chosen column settles a contradiction', () => {
  expect(readHeading('Diameter (needle)', undefined, references, true, { column: 'fiber_diameter' })).toMatchObject({
    state: 'read',
    reads: 'fiber_diameter',
    dropped: ['needle'],
  });
});

test('a text in the place of a unit is the unit, a note, or the reason of a question', () => {
  const text = fc.stringMatching(/^[ !#-'*-Z^-~µ²³⁻¹·Å°]{1,20}$/u).filter((one) => one.trim() !== '');
  const place = fc.constantFrom<(one: string) => string>(
    (one) => `Flow rate [${one}]`,
    (one) => `Flow rate (${one})`,
    (one) => `Flow rate in ${one}`,
  );
  fc.assert(
    fc.property(text, place, (one, put) => {
      const { unit, dropped, reason, state, reads, unmarked } = readHeading(put(one), undefined, references, true);
      // A footnote mark has a note of its own.
      if (state === 'read' && reads === 'flow_rate' && unit === undefined && unmarked === undefined)
        expect(dropped.join(' ')).not.toBe('');
      const words = (written: string): string[] => written.split(/[\s:/,]+/).filter((word) => word !== '');
      if (state === 'ask' && reason !== null)
        expect(words(reason.replace(/"/g, ''))).toEqual(expect.arrayContaining(words(one).slice(-1)));
    }),
    { numRuns: runs(500) },
  );
});
