import { expect, test } from '@jest/globals';
import { messageFaults } from '@esd/testing/language-rules';
import type { Feature } from '@esd/record/filter/filter-keys';
import { type UsualRange, unusualValues } from '../../src/prepare/unusual-values.ts';

const ranges = new Map<Feature, UsualRange>([
  ['voltage', { count: 612, low: 0.5, high: 40 }],
  ['fiberDiameter', { count: 700, low: 20, high: 9_000 }],
  ['temp', { count: 300, low: 15, high: 40 }],
  ['variation', { count: 200, low: 0, high: 60 }],
  ['porosity', { count: 49, low: 10, high: 90 }],
]);

test.each<[Feature, number, boolean]>([
  ['voltage', 40, false],
  ['voltage', 80, false],
  ['voltage', 80.1, true],
  ['voltage', 12_000, true],
  ['voltage', 0.25, false],
  ['voltage', 0.24, true],
  ['voltage', -12, true],
  // Micrometers sent as nanometers.
  ['fiberDiameter', 0.5, true],
  // Kelvin sent as degrees Celsius; ratios of temperatures have no meaning.
  ['temp', 298, true],
  ['temp', 65, false],
  ['temp', -10, false],
  ['temp', -10.1, true],
  ['variation', 0, false],
  ['variation', -61, true],
  // Too few values.
  ['porosity', 5_000, false],
  ['wettability', 5_000, false],
])('%s = %d: %s', (feature, value, isUnusual) => {
  expect(unusualValues({ [feature]: value }, ranges)).toHaveLength(isUnusual ? 1 : 0);
});

test('the warning names the value, the usual range, the number of values, and the path', () => {
  expect(unusualValues({ voltage: 12_000, temp: 20, fiberDiameter: 1e6 }, ranges)).toEqual([
    {
      path: 'processParameter.voltage',
      code: 'UNUSUAL_VALUE',
      message: 'The value 12000 kV is unusual: 99.8 % of the 612 values in the dataset lie between 0.5 and 40 kV.',
    },
    expect.objectContaining({ path: 'fiberProperty.fiberDiameter' }),
  ]);
});

test('each message follows the rules for messages', () => {
  const messages = [...ranges.keys()].flatMap((feature) =>
    [-1e6, 1e6].flatMap((value) => unusualValues({ [feature]: value }, ranges).map(({ message }) => message)),
  );
  expect(messages.length).toBeGreaterThan(3);
  expect(messages.map(messageFaults).flat()).toEqual([]);
});
