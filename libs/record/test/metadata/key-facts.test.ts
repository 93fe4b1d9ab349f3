import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '@esd/testing/property-runs';
import { categoryKeys, features } from '../../src/filter/filter-keys.ts';
import { parseFilter } from '../../src/filter/parse-filter.ts';
import { keyFacts } from '../../src/metadata/key-facts.ts';
import { isResult, triedFilter } from '../../src/metadata/key-labels.ts';

const ORDER = {
  solution:
    'polymer polymerSystem solventSystem solvent concentration solventBoilingPoint solventDielectricConstant solventHansenHydrogen',
  process: 'needleType needleDiameter collectorType voltage flowRate tipDist fieldStrength',
  ambient: 'temp humidity',
  fiber: 'isFormationStable instability fiberDiameter variation fiberDiameterCount weight morphology',
  properties:
    'tensileStrength modulus elongationAtBreak fractureBehaviour surfaceArea porosity permeability wettability electricalConductivity thermalConductivity',
  paper: 'doi year journal',
};
const RESULTS = new Set([...ORDER.fiber.split(' '), ...ORDER.properties.split(' ')]);

test('the table has every feature and category once, in the order of the steps of an experiment', () => {
  const known = new Set<string>([...features.map(({ feature }) => feature), ...categoryKeys]);
  const expected = Object.entries(ORDER).flatMap(([group, keys]) =>
    keys.split(' ').flatMap((key) => (known.has(key) ? [`${group} ${key}`] : [])),
  );
  expect(keyFacts.map(({ group, key }) => `${group} ${key}`)).toEqual(expected);
  expect(keyFacts).toHaveLength(known.size);
  expect(new Set(keyFacts.map(({ label }) => label)).size).toBe(known.size);
});

test('fibers and their properties are results, and all other keys are settings', () => {
  for (const { key, kind } of keyFacts) expect([key, kind]).toEqual([key, RESULTS.has(key) ? 'result' : 'setting']);
  expect(isResult('status')).toBe(false);
});

test('a number has the unit of its filter; numbers, years and journals have a normalized column', () => {
  for (const { key, type, unit, column, description } of keyFacts) {
    const keys = features.find(({ feature }) => feature === key);
    expect([key, type, unit]).toEqual([key, keys ? 'number' : 'category', keys?.unit ?? null]);
    expect([key, column !== null]).toEqual([key, keys !== undefined || key === 'year' || key === 'journal']);
    for (const sentence of description.split(/(?<=[.])\s+/)) {
      expect([sentence, sentence.split(/\s+/).length <= 25]).toEqual([sentence, true]);
    }
  }
});

test('the filter of the tried records has the conditions on settings and the status', () => {
  const all: [key: string, value: string | number][] = [
    ['polymer', '=PVDF'],
    ['doi', '10.1'],
    ['voltageMin', 12],
    ['fieldStrengthMax', 2],
    ['solventBoilingPointMin', 100],
    ['status', 'PUBLISHED'],
    ['isFormationStable', 'yes'],
    ['morphology', '='],
    ['fiberDiameterMax', 500],
    ['wettabilityMin', 90],
    ['fractureBehaviour', 'brittle'],
  ];
  const filterOf = (chosen: readonly (readonly [string, unknown])[]) => {
    const parsed = parseFilter(JSON.stringify(Object.fromEntries(chosen)));
    if ('problem' in parsed) throw new Error(parsed.problem.message);
    return parsed.filter;
  };
  fc.assert(
    fc.property(fc.subarray(all), (chosen) => {
      const settings = chosen.filter(([key]) => !RESULTS.has(key.replace(/M(?:in|ax)$/, '')));
      expect(triedFilter(filterOf(chosen))).toEqual(filterOf(settings));
    }),
    { numRuns: runs(100), examples: [[all]] },
  );
});
