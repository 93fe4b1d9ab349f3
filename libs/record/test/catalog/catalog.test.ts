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
