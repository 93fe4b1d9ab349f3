import { describe, expect, test } from '@jest/globals';
import type { ExperimentData, FreeObject } from '../../src/catalog/catalog.ts';
import { featureValues, readFeatures } from '../../src/filter/feature-values.ts';
import { recordFeatures } from '../../src/filter/filter-keys.ts';
import { indexReferences } from '../../src/reference/reference.ts';
import { references, seedLists } from '../seed-lists.ts';

const valuesOf = (data: ExperimentData): object => featureValues(data, references);

test.each<[ExperimentData, object]>([
  [{ processParameter: { voltage: 12_000, voltageUnit: 'V' } }, { voltage: 12 }],
  [{ processParameter: { voltage: 12 } }, { voltage: 12 }],
  [{ processParameter: { voltageUnit: 'V' } }, {}],
  [{ processParameter: { flowRate: 5, flowRateUnit: 'µL/min' } }, { flowRate: 0.3 }],
  [{ processParameter: { flowRate: 5, flowRateUnit: 'mg/min' } }, {}],
  [{ solutionProperty: { concentration: 10 } }, { concentration: 10 }],
  [{ solutionProperty: { concentration: 80, concentrationUnit: 'mg/g' } }, { concentration: 8 }],
  [{ solutionProperty: { concentration: 10, concentrationUnit: 'g/L' } }, {}],
  [{ solutionProperty: { concentration: 10, concentrationUnit: '%' } }, {}],
  [{ ambientParameter: { temperature: 298.15, temperatureUnit: 'K' } }, { temp: 25 }],
  [{ ambientParameter: { temperature: 25 } }, { temp: 25 }],
  [{ ambientParameter: { humidity: 0.4, humidityUnit: 'fraction' } }, { humidity: 40 }],
  [{ ambientParameter: { humidity: 40, humidityUnit: '% RH' } }, { humidity: 40 }],
  [{ fiberProperty: { fiberDiameter: 0.5, fiberDiameterUnit: 'µm' } }, { fiberDiameter: 500 }],
  [{ fiberProperty: { productWeight: 2, productWeightUnit: 'mg/cm²' } }, { weight: 20 }],
  [{ fiberProperty: { productWeight: 2, productWeightUnit: 'mg' } }, {}],
  [{ mechanicalProperty: { elongationAtBreak: 8, elongationAtBreakUnit: 'mm' } }, {}],
  [{ functionalProperty: { porosity: 0.85, porosityUnit: 'fraction' } }, { porosity: 85 }],
  [{ functionalProperty: { permeability: 1, permeabilityUnit: 'mm²' } }, { permeability: 0.01 }],
  [{ functionalProperty: { permeability: 1, permeabilityUnit: 'L/m²/h' } }, {}],
  [{ processParameter: { voltage: 12, voltageUnit: 'no such unit' } }, {}],
  [{}, {}],
])('%j has the features %j', (data, values) => {
  expect(valuesOf(data)).toEqual(values);
});

test('a unit resolves with the lists of the revision', () => {
  const renamed = seedLists.units.map((entry) =>
    entry.unit === 'V' ? { ...entry, unit: 'volt', aliases: [...entry.aliases, 'V'] } : entry,
  );
  const later = indexReferences({ ...seedLists, units: renamed });
  expect(featureValues({ processParameter: { voltage: 12_000, voltageUnit: 'V' } }, later)).toEqual({ voltage: 12 });
  const without = indexReferences({ ...seedLists, units: seedLists.units.filter(({ unit }) => unit !== 'V') });
  expect(featureValues({ processParameter: { voltage: 12_000, voltageUnit: 'V' } }, without)).toEqual({});
});

describe('the variation of the diameter', () => {
  test.each<[ExperimentData['fiberProperty'], number | undefined]>([
    [{ fiberDiameterVariation: 20 }, 20],
    [{ fiberDiameterVariation: 20, fiberDiameterVariationUnit: '%', fiberDiameter: 500 }, 20],
    [{ fiberDiameterVariation: 50, fiberDiameterVariationUnit: 'nm', fiberDiameter: 500 }, 10],
    [
      {
        fiberDiameterVariation: 50,
        fiberDiameterVariationUnit: 'nm',
        fiberDiameter: 0.5,
        fiberDiameterUnit: 'µm',
      },
      10,
    ],
    [
      {
        fiberDiameterVariation: 0.05,
        fiberDiameterVariationUnit: 'µm',
        fiberDiameter: 500,
        fiberDiameterUnit: 'nm',
      },
      10,
    ],
    [{ fiberDiameterVariation: 50, fiberDiameterVariationUnit: 'nm' }, undefined],
    [{ fiberDiameterVariation: 50, fiberDiameterVariationUnit: 'nm', fiberDiameter: 0 }, undefined],
    [{ fiberDiameterVariation: 50, fiberDiameterVariationUnit: 'nm', fiberDiameter: -500 }, undefined],
    [{ fiberDiameterVariation: 1e308, fiberDiameterVariationUnit: 'nm', fiberDiameter: 1 }, undefined],
  ])('%j is %p %%', (fiberProperty = {}, percent) => {
    expect(featureValues({ fiberProperty }, references).variation).toBe(percent);
  });
});

describe('the needle’s inner diameter', () => {
  test.each<[FreeObject, number | undefined]>([
    [{ size: 22, unit: 'G' }, 0.413],
    [{ size: '22', unit: 'G' }, 0.413],
    [{ size: 7, unit: 'G' }, 3.81],
    [{ size: 34, unit: 'G' }, 0.083],
    [{ size: 6, unit: 'G' }, undefined],
    [{ size: 22.5, unit: 'G' }, undefined],
    [{ size: 0.5, unit: 'mm' }, 0.5],
    [{ size: 500, unit: 'µm' }, 0.5],
    [{ size: 0.5 }, 0.5],
    [{ size: '0.5' }, 0.5],
    [{ size: 5, unit: 'kV' }, undefined],
    [{ size: 'large', unit: 'mm' }, undefined],
    [{ diameter: 0.02, diameterUnit: 'in' }, 0.508],
    [{ diameter: 21, diameterUnit: 'G' }, 0.514],
    [{ diameter: 600, unit: 'µm' }, 0.6],
    [{ innerDiameter: 0.8, outerDiameter: 1.6 }, 0.8],
    [{ innerDiameter: 800, innerDiameterUnit: 'µm', outerDiameter: 1600 }, 0.8],
    [{ innerDiameter: 800, outerDiameter: 1600, unit: 'µm' }, 0.8],
    [{ outerDiameter: 1.6 }, undefined],
    [{ size: 'large', diameter: 0.5 }, 0.5],
    [{ size: 99, unit: 'G', innerDiameter: 0.5, innerDiameterUnit: 'mm' }, 0.5],
    [{ size: true }, undefined],
    [{ note: 'blunt' }, undefined],
  ])('of %j is %p mm', (needleDefinition, millimeters) => {
    expect(featureValues({ needleProperty: { needleDefinition } }, references).needleDiameter).toBe(millimeters);
  });
});

test('every feature is read from its own member', () => {
  for (const { feature, path, unit } of recordFeatures) {
    if (feature === 'needleDiameter') continue;
    const [group = '', member = ''] = path.split('.');
    // Safe cast: the path comes from the catalog.
    const data = { [group]: { [member]: 7, [`${member}Unit`]: unit } } as ExperimentData;
    expect(featureValues(data, references)).toEqual({ [feature]: 7 });
  }
});

describe('the field strength is voltage / tip-collector distance in kV/cm', () => {
  const strength = (processParameter: ExperimentData['processParameter'] = {}) => {
    const { values, notConvertible } = readFeatures({ processParameter }, references);
    return notConvertible.includes('fieldStrength') ? 'notConvertible' : values.fieldStrength;
  };

  test.each<[ExperimentData['processParameter'], number | 'notConvertible' | undefined]>([
    [{ voltage: 15, tipCollectorDistance: 10 }, 1.5],
    [{ voltage: 15_000, voltageUnit: 'V', tipCollectorDistance: 100, tipCollectorDistanceUnit: 'mm' }, 1.5],
    [{ voltage: -15, tipCollectorDistance: 10 }, -1.5],
    [{ voltage: 15 }, undefined],
    [{ tipCollectorDistance: 10 }, undefined],
    [{ voltage: 15, tipCollectorDistance: 0 }, undefined],
    [{ voltage: 15, tipCollectorDistance: -1 }, undefined],
    [{ voltage: 15, voltageUnit: 'mm', tipCollectorDistance: 10 }, 'notConvertible'],
    [{ voltageUnit: 'kV', tipCollectorDistance: 10, tipCollectorDistanceUnit: 'kV' }, 'notConvertible'],
    [{ voltage: 1e300, tipCollectorDistance: 1e-300 }, 'notConvertible'],
  ])('%j is %p', (processParameter, expected) => {
    expect(strength(processParameter)).toBe(expected);
  });
});

test.each<[ExperimentData, string[]]>([
  [{}, []],
  [{ fiberProperty: { fiberDiameter: 5, fiberDiameterUnit: 'kV' } }, ['fiberDiameter']],
  [{ fiberProperty: { fiberDiameterVariation: 50, fiberDiameterVariationUnit: 'nm' } }, ['variation']],
  [{ fiberProperty: { fiberDiameterUnit: 'kV' } }, []],
  [{ needleProperty: { needleDefinition: { size: 'large' } } }, ['needleDiameter']],
  [{ needleProperty: { needleDefinition: { size: 'large', diameter: 0.5 } } }, []],
  [{ needleProperty: { needleDefinition: { outerDiameter: 1.6 } } }, []],
])('in %j, the features %j cannot be converted', (data, features) => {
  expect(readFeatures(data, references).notConvertible).toEqual(features);
});
