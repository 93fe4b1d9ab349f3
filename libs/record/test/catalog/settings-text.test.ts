import { expect, test } from '@jest/globals';
import { runs } from '@esd/testing/property-runs';
import fc from 'fast-check';
import type { ExperimentData } from '../../src/catalog/catalog.ts';
import { settingsText } from '../../src/catalog/settings-text.ts';
import { readFeatures } from '../../src/filter/feature-values.ts';
import { demoRecords } from '../demo-records.ts';
import { complete } from '../generated-records.ts';
import { references } from '../seed-lists.ts';

const textOf = (data: ExperimentData): string | undefined => settingsText(data, references);
const researchMetadata = { doi: '10.1234/abc' };
const RUN: ExperimentData = {
  researchMetadata,
  polymerProperty: { polymerComponents: [{ polymerName: 'PVDF' }] },
  solventProperty: { solventComponents: [{ solventName: 'DMF' }, { solventName: 'ACETONE' }] },
  collectorProperty: { collectorType: 'rotating drum' },
  processParameter: { voltage: 12_000, voltageUnit: 'V' },
};

test('50 groups of the demo have equal settings and different diameters, 22 of them by more than a factor of 1.5', () => {
  const groups = [...Map.groupBy(demoRecords, textOf).values()].map((records) =>
    records.flatMap((data) => readFeatures(data, references).values.fiberDiameter ?? []),
  );
  const different = groups.filter((diameters) => new Set(diameters).size > 1);
  expect([different.length, different.flat().length]).toEqual([50, 184]);
  const isFar = (one: number, other: number): boolean => Math.max(one / other, other / one) > 1.5;
  const far = different.map((diameters) => diameters.filter((one) => diameters.some((other) => isFar(one, other))));
  expect([far.filter(({ length }) => length > 0).length, far.flat().length]).toEqual([22, 97]);
});

test('results, remarks and the order of components do not matter', () => {
  fc.assert(
    fc.property(complete, ({ data }) => {
      const own = { ...data, researchMetadata };
      const { fiberProperty: _, mechanicalProperty: __, ...settings } = own;
      const solventComponents = own.solventProperty?.solventComponents?.toReversed() ?? [];
      const reversed = { ...settings, solventProperty: { ...own.solventProperty, solventComponents } };
      expect(textOf(own.solventProperty?.solventComponents ? reversed : settings)).toBe(textOf(own));
    }),
    { numRuns: runs(30) },
  );
});

test.each<[string, ExperimentData, boolean]>([
  ['the unit', { ...RUN, processParameter: { voltage: 12, voltageUnit: 'kV' } }, true],
  ['the word for a kind of collector', { ...RUN, collectorProperty: { collectorType: 'Drum' } }, true],
  ['the spelling of the DOI', { ...RUN, researchMetadata: { doi: 'https://doi.org/10.1234/ABC' } }, true],
  ['a value', { ...RUN, processParameter: { voltage: 12.5, voltageUnit: 'kV' } }, false],
  ['a missing value', { ...RUN, processParameter: {} }, false],
  ['another setting', { ...RUN, ambientParameter: { humidity: 40 } }, false],
  ['the paper', { ...RUN, researchMetadata: { doi: '10.1234/abd' } }, false],
  ['the concentration in a unit that cannot be converted', { ...RUN, solutionProperty: { concentration: 10 } }, false],
])('%s: equal settings are %#', (_, other, isEqual) => {
  expect(textOf(other) === textOf(RUN)).toBe(isEqual);
});

test('records without a paper have no text', () => {
  expect(textOf({ ...RUN, researchMetadata: {} })).toBeUndefined();
});

test('values that cannot be converted are compared as published', () => {
  const inUnit = (concentration: number, concentrationUnit: string) =>
    textOf({ ...RUN, solutionProperty: { concentration, concentrationUnit } });
  expect(inUnit(10, 'g/L')).toBe(inUnit(10, 'g/L'));
  expect(inUnit(10, 'g/L')).not.toBe(inUnit(11, 'g/L'));
  expect(inUnit(10, 'g/L')).not.toBe(inUnit(10, 'wt%'));
});
