import { expect, test } from '@jest/globals';
import { features, filterKeys, recordFeatures, textKeys } from '../../src/filter/filter-keys.ts';

test('each feature has the filter unit that clients expect, and its own column', () => {
  expect(recordFeatures.map(({ feature, unit, column }) => [feature, unit, column]).sort()).toEqual(
    [
      ['voltage', 'kV', 'voltage'],
      ['flowRate', 'mL/h', 'flow_rate'],
      ['tipDist', 'cm', 'tip_collector_distance'],
      ['concentration', 'wt%', 'solution_concentration'],
      ['temp', '°C', 'temperature'],
      ['humidity', '%', 'humidity'],
      ['needleDiameter', 'mm', 'needle_definition'],
      ['fiberDiameter', 'nm', 'fiber_diameter'],
      ['variation', '%', 'fiber_diameter_variation'],
      ['fiberDiameterCount', '1', 'fiber_diameter_count'],
      ['weight', 'g/m²', 'product_weight'],
      ['tensileStrength', 'MPa', 'tensile_strength'],
      ['modulus', 'MPa', 'modulus'],
      ['elongationAtBreak', '%', 'elongation_at_break'],
      ['surfaceArea', 'm²/g', 'surface_area'],
      ['porosity', '%', 'porosity'],
      ['permeability', 'cm²', 'permeability'],
      ['wettability', '°', 'wettability'],
      ['electricalConductivity', 'S/m', 'electrical_conductivity'],
      ['thermalConductivity', 'W/mK', 'thermal_conductivity'],
    ].sort(),
  );
});

test('each text key reads its own member', () => {
  expect(Object.fromEntries(textKeys.map(({ key, path }) => [key, path]))).toEqual({
    doi: 'researchMetadata.doi',
    polymer: 'polymerProperty.polymerComponents[].polymerName',
    solvent: 'solventProperty.solventComponents[].solventName',
    collectorType: 'collectorProperty.collectorType',
    needleType: 'needleProperty.needleType',
    morphology: 'fiberProperty.fiberMorphology',
    instability: 'processParameter.instability',
    fractureBehaviour: 'mechanicalProperty.fractureBehaviour',
  });
});

test('the filter keys are those of the API, without duplicates', () => {
  const texts = [
    ...textKeys.map(({ key }) => key),
    'polymerSystem',
    'solventSystem',
    'year',
    'journal',
    'yearMin',
    'yearMax',
  ];
  const ranges = features.flatMap(({ feature }) => [`${feature}Min`, `${feature}Max`]);
  expect([...filterKeys].sort()).toEqual([...texts, ...ranges, 'isFormationStable', 'status'].sort());
  expect(new Set(filterKeys).size).toBe(filterKeys.length);
});
