import { expect, test } from '@jest/globals';
import { featureFacts } from '../../src/metadata/feature-facts.ts';
import { seedLists } from '../seed-lists.ts';

test('feature units have the identifiers of the unit list', () => {
  const { units } = seedLists;
  for (const { feature, unit, ucumCode, qudtUri } of featureFacts) {
    const listed = units.find((entry) => entry.unit === unit);
    expect([feature, ucumCode, qudtUri]).toEqual([feature, listed?.ucumCode, listed?.qudtUri]);
  }
  expect(featureFacts.filter(({ qudtUri }) => qudtUri !== undefined).length).toBeGreaterThan(15);
});
