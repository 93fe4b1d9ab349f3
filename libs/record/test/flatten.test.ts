import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ExperimentData } from '../src/catalogue.ts';
import { csvField, csvHeader, csvLine, guardFormula, unguardFormula } from '../src/csv.ts';
import { flatten, flattenedColumns, unflatten } from '../src/flatten.ts';
import type { FlatRow } from '../src/flatten.ts';
import { publicRecordJson } from '../src/public-record.ts';
import { validateSubmission } from '../src/validate-submission.ts';
import { csvRows } from './csv-rows.ts';
import { demoRecords } from './demo-records.ts';
import { complete, recordOf } from './generated-records.ts';
import { references } from './seed-lists.ts';

const columns =
  `doi, experiment_id, is_polymer_blend, polymer(s), polymer_components, is_solvent_blend, solvent(s), solvent_components,
solution_concentration, solution_concentration_unit, solution_viscosity, solution_viscosity_unit, solution_surface_tension,
solution_surface_tension_unit, solution_conductivity, solution_conductivity_unit, solution_evaporation_rate,
solution_evaporation_rate_unit, needle_type, needle_definition, collector_type, collector_definition, voltage, voltage_unit,
flow_rate, flow_rate_unit, tip_collector_distance, tip_collector_distance_unit, spinning_duration, spinning_duration_unit,
temperature, temperature_unit, humidity, humidity_unit, was_formation_stable, process_instability, fiber_diameter,
fiber_diameter_unit, fiber_diameter_variation, fiber_diameter_variation_unit, morphology, publication_title, is_custom_device,
device_manufacturer, device_model, tensile_strength, tensile_strength_unit, modulus, modulus_unit, elongation_at_break,
elongation_at_break_unit, fracture_behaviour, surface_area, surface_area_unit, porosity, porosity_unit, permeability,
permeability_unit, solution_ph, product_weight, product_weight_unit, quality_grade, wettability, wettability_unit,
electrical_conductivity, electrical_conductivity_unit, thermal_conductivity, thermal_conductivity_unit, fiber_images`.split(
    /,\s+/,
  );

/** The cells of a field that stands alone in its line, as a spreadsheet reads it that cuts at `separator`. */
function cellsOf(field: string, separator: string): string[] {
  if (field.startsWith('"')) return [field.slice(1, -1).replaceAll('""', '"')];
  return field.split(separator);
}

const csvOf = (records: readonly ExperimentData[]): string =>
  csvHeader() + records.map((data, i) => csvLine(i + 1, data)).join('');

/** What a row gives when it is submitted again. */
function again(row: FlatRow): { recordId: number | undefined; data: ExperimentData } {
  const { item, recordId } = unflatten(row);
  return { recordId, data: recordOf(item).data };
}

test('the columns are those that clients know, in their order', () => {
  expect(flattenedColumns).toEqual(columns);
  expect(csvHeader()).toBe(`${columns.join(',')}\r\n`);
});

test('a record as a row, cell by cell', () => {
  const { data } = recordOf({
    researchMetadata: { doi: '10.1/a', customDevice: false },
    polymerProperty: {
      polymerComponents: [{ polymerName: 'PCL', weightRatio: 60, weightRatioUnit: '%' }, { polymerName: 'PVA' }],
    },
    solventProperty: { solventComponents: [{ solventName: 'DMF' }] },
    solutionProperty: { pH: 7, viscosityUnit: 'cP' },
    needleProperty: { needleDefinition: { unit: 'G', size: 22 } },
    processParameter: { voltage: 12, voltageUnit: 'kV', instability: ['Whipping'] },
    fiberProperty: { isFormationStable: 'yes', fiberMorphology: ['Bead', 'Smooth'] },
    fiberImages: [{ imageId: '0197a0b0-0000-7000-8000-00000000000a' }],
  });
  expect(flatten(17, data)).toEqual({
    doi: '10.1/a',
    experiment_id: 17,
    is_polymer_blend: true,
    'polymer(s)': 'PCL-PVA',
    polymer_components: '[{"name":"PCL","weightRatio":60,"weightRatioUnit":"%"},{"name":"PVA"}]',
    is_solvent_blend: false,
    'solvent(s)': 'DMF',
    solvent_components: '[{"name":"DMF"}]',
    solution_viscosity_unit: 'cP',
    needle_definition: '{"size":22,"unit":"G"}',
    voltage: 12,
    voltage_unit: 'kV',
    was_formation_stable: true,
    process_instability: '[{"category":"Jet","label":"Whipping"}]',
    morphology: '[{"category":"Defects","label":"Bead"},{"category":"Texture","label":"Smooth"}]',
    is_custom_device: false,
    solution_ph: 7,
    fiber_images: '[{"imageId":"0197a0b0-0000-7000-8000-00000000000a"}]',
  });
});

test('a component without a name is not published', () => {
  const { data } = recordOf({ polymerProperty: { polymerComponents: [{}, { polymerName: 'PCL' }, {}] } });
  expect(flatten(1, data)).toMatchObject({
    is_polymer_blend: false,
    'polymer(s)': 'PCL',
    polymer_components: '[{"name":"PCL"}]',
  });
  expect(flatten(1, { polymerProperty: { polymerComponents: [{}] } })).toEqual({
    experiment_id: 1,
    is_polymer_blend: false,
    is_solvent_blend: false,
  });
});

test('the read form gives the same row', () => {
  fc.assert(
    fc.property(complete, ({ data }) => {
      // The text is a record’s read form, whose members are those of the data and a few more.
      const read = JSON.parse(publicRecordJson(5, data)) as ExperimentData;
      expect(flatten(5, read)).toEqual(flatten(5, data));
    }),
    { numRuns: 200 },
  );
});

describe('there and back', () => {
  test('all demo records, as cells and through CSV', () => {
    const rows = csvRows(csvOf(demoRecords));
    expect(rows).toHaveLength(809);
    demoRecords.forEach((data, i) => {
      expect(again(flatten(i + 1, data))).toEqual({ recordId: i + 1, data });
      expect(again(rows[i] ?? {})).toEqual({ recordId: i + 1, data });
    });
  });

  test('generated records, as cells and through CSV', () => {
    fc.assert(
      fc.property(complete, fc.integer({ min: 1, max: 2 ** 31 }), ({ data }, id) => {
        const row = flatten(id, data);
        for (const column of Object.keys(row)) expect(columns).toContain(column);
        // Beside a named component an empty one says nothing, and is not published.
        const components = data.polymerProperty?.polymerComponents?.filter((c) => c.polymerName !== undefined) ?? [];
        const published = { ...data, polymerProperty: { polymerComponents: components } };
        expect(again(row)).toEqual({ recordId: id, data: published });
        const [read = {}] = csvRows(csvHeader() + csvLine(id, data));
        expect(again(read)).toEqual({ recordId: id, data: published });
      }),
      { numRuns: 500 },
    );
  });
});

describe('a row that somebody wrote', () => {
  const item = (row: FlatRow): object => unflatten(row).item;
  const problems = (row: FlatRow) =>
    validateSubmission({ experimentData: [unflatten(row).item] }, references, { userMetadata: 'optional' }).problems;

  test('may hold texts for numbers and booleans, Python’s spelling too, and empty cells', () => {
    expect(
      item({
        voltage: ' 12.50 ',
        is_custom_device: 'True',
        was_formation_stable: 'no',
        device_model: 3000,
        humidity: ' ',
        doi: '',
      }),
    ).toEqual({
      processParameter: { voltage: 12.5 },
      researchMetadata: { customDevice: true, deviceModel: '3000' },
      fiberProperty: { isFormationStable: 'no' },
    });
  });

  test('is read from joined names where the components are empty', () => {
    const polymerProperty = { polymerComponents: [{ polymerName: 'PCL' }, { polymerName: 'PVA' }] };
    expect(item({ 'polymer(s)': 'PCL-PVA', 'solvent(s)': 'DMF' })).toEqual({
      polymerProperty,
      solventProperty: { solventComponents: [{ solventName: 'DMF' }] },
    });
    const components = '[{"polymerName":"PCL"},{"name":"PVA"}]';
    expect(item({ polymer_components: components, 'polymer(s)': 'PEO' })).toEqual({ polymerProperty });
  });

  test('loses nothing in silence: what cannot be read is left for validation to name', () => {
    expect(problems({ 'polymer(s)': 'PCL', voltage: '12,5', needle_definition: '{size', voltge: 1 })).toMatchObject([
      { path: 'experimentData[0].voltge', code: 'UNKNOWN_MEMBER' },
      { path: 'experimentData[0].needleProperty.needleDefinition', code: 'WRONG_TYPE' },
      { path: 'experimentData[0].processParameter.voltage', code: 'WRONG_TYPE' },
    ]);
    expect(problems({ 'polymer(s)': 'PCL', voltage: '1e999' })).toMatchObject([{ code: 'NOT_FINITE' }]);
  });

  test('has a record id only where it is a number', () => {
    expect(unflatten({ experiment_id: '17' }).recordId).toBe(17);
    expect(unflatten({ experiment_id: 'A1' })).toEqual({ item: {} });
    expect(unflatten({})).toEqual({ item: {} });
  });
});

describe('formulas', () => {
  test.each([
    ['=1+1', `'=1+1`],
    ['+1', `'+1`],
    ['-1', `'-1`],
    ['@SUM(A1)', `'@SUM(A1)`],
    [`'=1`, `''=1`],
    [`'quoted'`, `'quoted'`],
    ['\t1', `'\t1`],
    ['\r=1', `'\r=1`],
    ['＝1', `'＝1`],
    ['a;=1', `'a;=1`],
    ['a\t@b', `'a\t@b`],
    [`'a;=1`, `''a;=1`],
    ['a=1', 'a=1'],
    ['a; b', 'a; b'],
    [`'a; b`, `'a; b`],
    ['', ''],
  ])('%s is written as %s', (text, written) => {
    expect(guardFormula(text)).toBe(written);
    expect(unguardFormula(written)).toBe(text);
  });

  const texts = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'\'=+-@\t\r\n;,"a1＝'.split('')), maxLength: 8 }),
    fc.string({ unit: 'binary' }),
  );

  test('no field begins one, whichever separator a spreadsheet cuts at', () => {
    fc.assert(
      fc.property(texts, fc.constantFrom(',', ';', '\t'), (text, separator) => {
        for (const cell of cellsOf(csvField(text), separator)) expect(cell).not.toMatch(/^[=+\-@\t\r＝＋－＠]/);
      }),
      { numRuns: 2_000 },
    );
  });

  test('a guard is one apostrophe in a field in quotes, and each text comes back', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const guarded = guardFormula(text);
        expect([text, `'${text}`]).toContain(guarded);
        expect(unguardFormula(guarded)).toBe(text);
        if (guarded !== text) expect(csvField(text)).toBe(`"${guarded.replaceAll('"', '""')}"`);
      }),
      { numRuns: 2_000 },
    );
  });

  test('in a line texts are guarded, negative numbers stay numbers, and fields are quoted where they must be', () => {
    const line = csvLine(1, {
      researchMetadata: { publicationTitle: '=HYPERLINK("x","y")', deviceModel: 'a\nb' },
      needleProperty: { needleType: 'a, b' },
      collectorProperty: { collectorType: 'a\rb' },
      ambientParameter: { temperature: -5.5, temperatureUnit: '°C' },
    });
    expect(line).toContain(',"a, b",');
    expect(line).toContain(',"a\rb",');
    expect(line).toContain(`,"'=HYPERLINK(""x"",""y"")",`);
    expect(line).toContain(',"a\nb",');
    expect(line).toContain(',-5.5,°C,');
    expect(line.startsWith(',1,false,,,false,,,')).toBe(true);
    expect(line.endsWith(',\r\n')).toBe(true);
  });
});
