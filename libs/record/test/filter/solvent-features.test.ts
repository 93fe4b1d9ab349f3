import { expect, test } from '@jest/globals';
import { runs } from '@esd/testing/property-runs';
import fc from 'fast-check';
import type { ExperimentData } from '../../src/catalog/catalog.ts';
import { readFeatures } from '../../src/filter/feature-values.ts';
import { features, solventFeatures } from '../../src/filter/filter-keys.ts';
import { propertiesOf } from '../../src/reference/properties-of.ts';
import { fold } from '../../src/reference/fold.ts';
import { indexReferences } from '../../src/reference/reference.ts';
import { PROPERTY_UNITS, solventProperties } from '../../src/reference/solvent-properties.ts';
import { demoRecords } from '../demo-records.ts';
import { references, seedLists } from '../seed-lists.ts';

type Components = NonNullable<NonNullable<ExperimentData['solventProperty']>['solventComponents']>;

const readingsOf = (solventComponents: Components, lists = references) => {
  const { values, notConvertible } = readFeatures({ solventProperty: { solventComponents } }, lists);
  return solventFeatures.map((name) =>
    notConvertible.includes(name) ? 'notConvertible' : (values[name] ?? 'missing'),
  );
};
const NOT = ['notConvertible', 'notConvertible', 'notConvertible'];
const WATER = [99.974, 80.1, 42.3];

test('the table has 673 values of 100 solvents, all in the seeds', () => {
  const entries = Object.entries(solventProperties);
  expect([entries.length, entries.flatMap(([, values]) => values).length]).toEqual([100, 673]);
  expect(entries.filter(([name]) => name !== fold(name).toUpperCase())).toEqual([]);
  const known = seedLists.solvents.map(({ name }) => name);
  expect(entries.map(([name]) => name).filter((name) => !known.includes(name))).toEqual([]);
  expect(solventFeatures.map((name) => features.find(({ feature }) => feature === name)?.unit)).toEqual([
    PROPERTY_UNITS.boilingPoint,
    PROPERTY_UNITS.dielectricConstant,
    PROPERTY_UNITS.hansenHydrogen,
  ]);
});

test('466 records of the demo have a value, and 343 blends without a ratio do not', () => {
  const readings = demoRecords.map((record) => readFeatures(record, references));
  for (const name of solventFeatures) {
    const values = readings.filter(({ values: own }) => own[name] !== undefined);
    const inconvertible = readings.filter(({ notConvertible }) => notConvertible.includes(name));
    expect([name, values.length, inconvertible.length]).toEqual([name, 466, 343]);
  }
});

test.each<[Components, (number | string)[]]>([
  [[], ['missing', 'missing', 'missing']],
  [[{ solventName: 'WATER' }], WATER],
  [[{ solventName: 'WATER', volumeRatio: -1 }], WATER],
  [[{ solventName: 'DSM' }], NOT],
  [[{ solventName: 'no such solvent' }], NOT],
  [[{ solventName: 'WATER' }, { solventName: 'DMF' }], NOT],
  [[{ solventName: 'WATER', volumeRatio: 1 }, { solventName: 'DMF' }], NOT],
  [
    [
      { solventName: 'WATER', volumeRatio: 1 },
      { solventName: 'DMF', volumeRatio: 0 },
    ],
    NOT,
  ],
  [
    [
      { solventName: 'WATER', volumeRatio: 1 },
      { solventName: 'DSM', volumeRatio: 1 },
    ],
    NOT,
  ],
  [
    [
      { solventName: 'WATER', volumeRatio: 1 },
      { solventName: 'DMF', volumeRatio: 50, volumeRatioUnit: '%' },
    ],
    NOT,
  ],
  [
    [
      { solventName: 'WATER', volumeRatio: 1e308 },
      { solventName: 'WATER', volumeRatio: 1e308 },
    ],
    NOT,
  ],
])('%j has the values %j', (components, expected) => {
  expect(readingsOf(components)).toEqual(expected);
});

test('a blend has the mean of its solvents, weighted by volume ratio', () => {
  const solvent = fc.record({
    solventName: fc.constantFrom('WATER', 'DMF', 'ACETONE', 'ETHANOL'),
    volumeRatio: fc.double({ min: 0.01, max: 100, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(solvent, { minLength: 2, maxLength: 4 }), (components) => {
      const total = components.reduce((sum, { volumeRatio }) => sum + volumeRatio, 0);
      const singles = components.map(({ solventName }) => readingsOf([{ solventName }]).map(Number));
      for (const [at, value] of readingsOf(components).entries()) {
        const expected = components.reduce(
          (sum, { volumeRatio }, i) => sum + (volumeRatio / total) * (singles[i]?.[at] ?? NaN),
          0,
        );
        expect(Number(value)).toBeCloseTo(expected, 6);
      }
    }),
    { numRuns: runs(50) },
  );
});

test('an entry has the properties of its `sameAs` target, also by a former name', () => {
  const { solvents: all } = seedLists;
  const followers = all.filter(({ sameAs }) => sameAs !== undefined && Object.hasOwn(solventProperties, sameAs));
  expect(followers.length).toBeGreaterThan(0);
  for (const { name, sameAs = '' } of followers) {
    expect([name, readingsOf([{ solventName: name }])]).toEqual([name, readingsOf([{ solventName: sameAs }])]);
  }
  const solvents = all.map((entry) =>
    // The full name is the previous name in another case, so it is not repeated as an alias.
    entry.name === 'WATER' ? { ...entry, name: 'AQUA' } : entry,
  );
  const later = indexReferences({ ...seedLists, solvents });
  for (const solventName of ['AQUA', 'WATER']) expect(readingsOf([{ solventName }], later)).toEqual(WATER);
  const entry = { id: 1, name: 'constructor', aliases: [], kind: 'solvent' };
  expect(propertiesOf(entry, () => undefined)).toEqual([]);
});
