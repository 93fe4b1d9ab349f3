import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '@esd/testing/property-runs';
import type { ExperimentData } from '../../src/catalog/catalog.ts';
import { flatten, flattenedColumns, sheetColumns, unflatten } from '../../src/flatten/flatten.ts';
import type { FlatRow } from '../../src/flatten/flatten.ts';
import { publicData, publicRecordJson } from '../../src/catalog/public-record.ts';
import { validateSubmission } from '../../src/validate/validate-submission.ts';
import { demoRecords } from '../demo-records.ts';
import { complete, recordOf } from '../generated-records.ts';
import { references } from '../seed-lists.ts';

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
electrical_conductivity, electrical_conductivity_unit, thermal_conductivity, thermal_conductivity_unit, fiber_images, remarks,
fiber_diameter_count`.split(/,\s+/);

function resubmit(row: FlatRow): { recordId: number | undefined; data: ExperimentData } {
  const { item, recordId } = unflatten(row);
  return { recordId, data: recordOf(item).data };
}

test('the columns are those that clients know, in order', () => {
  expect(flattenedColumns).toEqual(columns);
  expect(sheetColumns).toEqual([...columns, 'sample_id']);
});

test('a private member is a column of sheets, and not part of the public record', () => {
  const { data } = recordOf({ researchMetadata: { sampleId: 'A-1', remarks: 'dry' } });
  expect(unflatten({ sample_id: 'A-1', remarks: 'dry' }).item).toEqual({ researchMetadata: data.researchMetadata });
  expect(publicData(data)).toEqual({ researchMetadata: { remarks: 'dry' } });
});

test('a record has the expected cells', () => {
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

test('the read form has the same row', () => {
  fc.assert(
    fc.property(complete, ({ data }) => {
      // Safe cast: the read form has all members of the data.
      const read = JSON.parse(publicRecordJson(5, data)) as ExperimentData;
      expect(flatten(5, read)).toEqual(flatten(5, data));
    }),
    { numRuns: runs(200) },
  );
});

describe('the round trip', () => {
  test('preserves every demo record', () => {
    expect(demoRecords).toHaveLength(809);
    demoRecords.forEach((data, i) => {
      expect(resubmit(flatten(i + 1, data))).toEqual({ recordId: i + 1, data });
    });
  });

  test('preserves every generated record', () => {
    fc.assert(
      fc.property(complete, fc.integer({ min: 1, max: 2 ** 31 }), ({ data }, id) => {
        const row = flatten(id, data);
        for (const column of Object.keys(row)) expect(columns).toContain(column);
        // An empty component next to a named one is not published.
        const components = data.polymerProperty?.polymerComponents?.filter((c) => c.polymerName !== undefined) ?? [];
        const published = { ...data, polymerProperty: { polymerComponents: components } };
        expect(resubmit(row)).toEqual({ recordId: id, data: published });
      }),
      { numRuns: runs(500) },
    );
  });
});

describe('a handwritten row', () => {
  const item = (row: FlatRow): object => unflatten(row).item;
  const problems = (row: FlatRow) =>
    validateSubmission({ experimentData: [unflatten(row).item] }, references, { userMetadata: 'optional' }).problems;

  test('may have numbers and booleans as text, also in Python spelling, and empty cells', () => {
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

  test('is read from joined names if the components are empty', () => {
    const polymerProperty = { polymerComponents: [{ polymerName: 'PCL' }, { polymerName: 'PVA' }] };
    expect(item({ 'polymer(s)': 'PCL-PVA', 'solvent(s)': 'DMF' })).toEqual({
      polymerProperty,
      solventProperty: { solventComponents: [{ solventName: 'DMF' }] },
    });
    const components = '[{"polymerName":"PCL"},{"name":"PVA"}]';
    expect(item({ polymer_components: components, 'polymer(s)': 'PEO' })).toEqual({ polymerProperty });
  });

  test('keeps unreadable cells, so that validation reports them', () => {
    expect(problems({ 'polymer(s)': 'PCL', voltage: '12,5', needle_definition: '{size', voltge: 1 })).toMatchObject([
      { path: 'experimentData[0].voltge', code: 'UNKNOWN_MEMBER' },
      { path: 'experimentData[0].needleProperty.needleDefinition', code: 'WRONG_TYPE' },
      { path: 'experimentData[0].processParameter.voltage', code: 'WRONG_TYPE' },
    ]);
    expect(problems({ 'polymer(s)': 'PCL', voltage: '1e999' })).toMatchObject([{ code: 'NOT_FINITE' }]);
  });

  test('has a record id only if it is a number', () => {
    expect(unflatten({ experiment_id: '17' }).recordId).toBe(17);
    expect(unflatten({ experiment_id: 'A1' })).toEqual({ item: {} });
    expect(unflatten({})).toEqual({ item: {} });
  });
});
