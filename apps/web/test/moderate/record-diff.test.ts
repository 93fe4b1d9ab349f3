import { expect, test } from '@jest/globals';
import type { ExperimentData } from '@esd/record/catalog/catalog';
import { diffRows } from '../../src/moderate/record-diff.ts';

const record: ExperimentData = {
  researchMetadata: { doi: '10.1234/a' },
  polymerProperty: { polymerComponents: [{ polymerName: 'PS' }] },
  solutionProperty: { concentration: 10 },
  processParameter: { voltage: 15, voltageUnit: 'kV' },
  fiberImages: [{ imageId: 'a', imageType: 'SEM' }],
};
const changed = (after: ExperimentData) =>
  diffRows(record, { ...record, ...after })
    .filter(({ isChanged }) => isChanged)
    .map(({ name, before, after: now }) => [name, before, now]);

test('a record does not differ from itself and has a row for each of its fields', () => {
  expect(changed({})).toEqual([]);
  expect(diffRows(record, record).map(({ name, after }) => [name, after])).toEqual([
    ['DOI of the paper', '10.1234/a'],
    ['Voltage', '15\u202fkV'],
    ['Polymers', 'PS'],
    ['Concentration', '10, unit not stated'],
    ['Images', 'SEM a'],
  ]);
});

test.each<[string, ExperimentData, (string | undefined)[]]>([
  ['a value', { processParameter: { voltage: 16, voltageUnit: 'kV' } }, ['Voltage', '15\u202fkV', '16\u202fkV']],
  [
    'a unit alone',
    { solutionProperty: { concentration: 10, concentrationUnit: 'wt%' } },
    ['Concentration', '10, unit not stated', '10\u202fwt%'],
  ],
  ['a removed value', { processParameter: {} }, ['Voltage', '15\u202fkV', undefined]],
  ['an added value', { fiberProperty: { isFormationStable: true } }, ['Stable fiber formation', undefined, 'stable']],
  ['the source', { researchMetadata: { doi: '10.1234/b' } }, ['DOI of the paper', '10.1234/a', '10.1234/b']],
  [
    'a component',
    { polymerProperty: { polymerComponents: [{ polymerName: 'PS' }, { polymerName: 'PVA' }] } },
    ['Polymers', 'PS', 'PS; PVA'],
  ],
  ['an image', { fiberImages: [{ imageId: 'b', imageType: 'SEM' }] }, ['Images', 'SEM a', 'SEM b']],
])('%s is one changed row, which comes first', (_, after, row) => {
  expect(changed(after)).toEqual([row]);
  expect(diffRows(record, { ...record, ...after })[0]?.isChanged).toBe(true);
});
