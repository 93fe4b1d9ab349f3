import { expect, test } from '@jest/globals';
import { recordFields, userFields } from '../../src/catalog/catalog.ts';
import type { Field, Fields } from '../../src/catalog/catalog.ts';
import { resolveName } from '../../src/reference/reference.ts';
import { references, seedLists } from '../seed-lists.ts';

function* walk(fields: Fields, path = ''): Generator<[path: string, field: Field]> {
  for (const [name, field] of Object.entries(fields)) {
    yield [path + name, field];
    if (field.kind === 'group' || field.kind === 'list') yield* walk(field.fields, `${path}${name}.`);
  }
}

const all = [...walk(recordFields)];

/** The flattened columns that published clients know, without derived ones. */
const columns = `doi polymer_components solvent_components solution_concentration solution_concentration_unit
  solution_viscosity solution_viscosity_unit solution_surface_tension solution_surface_tension_unit solution_conductivity
  solution_conductivity_unit solution_evaporation_rate solution_evaporation_rate_unit needle_type needle_definition
  collector_type collector_definition voltage voltage_unit flow_rate flow_rate_unit tip_collector_distance
  tip_collector_distance_unit spinning_duration spinning_duration_unit temperature temperature_unit humidity humidity_unit
  was_formation_stable process_instability fiber_diameter fiber_diameter_unit fiber_diameter_variation
  fiber_diameter_variation_unit morphology publication_title is_custom_device device_manufacturer device_model
  tensile_strength tensile_strength_unit modulus modulus_unit elongation_at_break elongation_at_break_unit
  fracture_behaviour surface_area surface_area_unit porosity porosity_unit permeability permeability_unit solution_ph
  product_weight product_weight_unit quality_grade wettability wettability_unit electrical_conductivity
  electrical_conductivity_unit thermal_conductivity thermal_conductivity_unit fiber_images sample_id remarks
  fiber_diameter_count`.split(/\s+/);

test('the fields have exactly the flattened columns that clients know', () => {
  const given = all.flatMap(([, field]) => {
    if (field.column === undefined) return [];
    return field.kind === 'quantity' ? [field.column, `${field.column}_unit`] : [field.column];
  });
  expect([...given].sort()).toEqual([...columns].sort());
});

test('each dimension is in the unit list, and each default unit has a dimension of its field', () => {
  const dimensions = new Set(seedLists.units.map(({ dimension }) => dimension));
  for (const [path, field] of all) {
    if (field.kind !== 'quantity') continue;
    for (const dimension of field.dimensions)
      expect([path, dimension, dimensions.has(dimension)]).toEqual([path, dimension, true]);
    if (field.defaultUnit === undefined) continue;
    const unit = resolveName(references, 'units', field.defaultUnit);
    expect(unit).toMatchObject({ kind: 'found', entry: { unit: field.defaultUnit } });
    if (unit.kind === 'found') expect(field.dimensions).toContain(unit.entry.dimension);
  }
});

test('filtered quantities have the filter units that clients expect', () => {
  const units = all.flatMap(([path, field]) =>
    field.kind === 'quantity' && field.defaultUnit !== undefined ? [[path.split('.').pop(), field.defaultUnit]] : [],
  );
  expect(Object.fromEntries(units)).toEqual({
    voltage: 'kV',
    flowRate: 'mL/h',
    tipCollectorDistance: 'cm',
    concentration: 'wt%',
    temperature: '°C',
    humidity: '%',
    fiberDiameter: 'nm',
    fiberDiameterVariation: '%',
    productWeight: 'g/m²',
    tensileStrength: 'MPa',
    modulus: 'MPa',
    elongationAtBreak: '%',
    surfaceArea: 'm²/g',
    porosity: '%',
    permeability: 'cm²',
    wettability: '°',
    electricalConductivity: 'S/m',
    thermalConductivity: 'W/mK',
  });
});

test('no spelling matches two members of a group', () => {
  const groups: Fields[] = [recordFields, userFields];
  for (const [, field] of all) if (field.kind === 'group' || field.kind === 'list') groups.push(field.fields);
  for (const fields of groups) {
    const spellings = Object.entries(fields).flatMap(([name, field]) => {
      const names = [name, ...(field.formerly ?? [])];
      return field.kind === 'quantity' ? names.flatMap((n) => [n, `${n}Unit`]) : names;
    });
    expect(new Set(spellings).size).toBe(spellings.length);
  }
});
