import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { publicRecordJson } from '../src/catalogue/public-record.ts';
import { byFirstRules } from '../src/filter/first-rules.ts';
import type { Filter } from '../src/filter/filter.ts';
import { featureValues } from '../src/filter/feature-values.ts';
import { type FeatureKeys, features, recordFeatures, textKeys } from '../src/filter/filter-keys.ts';
import { matchFilter } from '../src/filter/match-filter.ts';
import { parseFilter } from '../src/filter/parse-filter.ts';
import { flatten } from '../src/flatten/flatten.ts';
import { RULES } from '../src/rules.ts';
import { demoRecords } from './demo-records.ts';
import { references } from './seed-lists.ts';

/** The answers of today's rules; a change of one of them needs another number, and caches of all readers begin anew. */
const GOLDEN = { rules: 3, answers: '95f1d12f87f3d751' };

/** What the release before found, which its personal snapshots keep. Never changes. */
const FIRST_FILTERS = 'da428598287efe3d';

const texts = [
  ...['PVA', 'caprolactone', 'acid', 'DMF', 'water', 'chloroform', 'bead', 'smooth', 'whip', '10.1', 's10'],
  ...['rotating', 'rotary collector', 'Rotating Drum', 'drum', 'disc', 'mandrel', 'flat', 'flat plate'],
  ...['single', 'single nozzle', 'uniaxial', 'coaxial', 'brittle'],
];

const filtersBy = (ranges: readonly FeatureKeys[]): readonly Filter[] =>
  [
    ...textKeys.flatMap(({ key }) => texts.map((text) => ({ [key]: text }))),
    ...ranges.flatMap(({ min, max }) => [{ [min]: 0.5 }, { [min]: 10, [max]: 100 }, { [max]: 500 }]),
    ...['yes', 'no'].map((isFormationStable) => ({ isFormationStable })),
    ...['PUBLISHED', 'PENDING'].map((status) => ({ status })),
  ].map((filter) => {
    const parsed = parseFilter(JSON.stringify(filter));
    if ('problem' in parsed) throw new Error(parsed.problem.message);
    return parsed.filter;
  });

function digestOf(answers: Iterable<unknown>): string {
  const hash = createHash('sha256');
  for (const answer of answers) hash.update(`${JSON.stringify(answer)}\n`);
  return hash.digest('hex').slice(0, 16);
}

const found = (filter: Filter): number[] =>
  demoRecords.flatMap((record, index) => (matchFilter(filter, record, references) ? [index + 1] : []));

const filters = filtersBy(features);

test('answers over the demo are those of the number of the rules: raise RULES when they change', () => {
  const records = demoRecords.map((record, index) => [
    featureValues(record, references),
    publicRecordJson(index + 1, record),
    flatten(index + 1, record),
  ]);
  expect({ rules: RULES, answers: digestOf([...filters.map(found), ...records]) }).toEqual(GOLDEN);
});

test('the first rules find what they have always found', () => {
  expect(digestOf(filtersBy(recordFeatures).map((filter) => found(byFirstRules(filter))))).toBe(FIRST_FILTERS);
});

test('a rolling drum is found as a rotating drum too', () => {
  const parsed = parseFilter('{"collectorType":"Rotating Drum"}');
  if ('problem' in parsed) throw new Error(parsed.problem.message);
  expect(found(parsed.filter)).toHaveLength(265);
  expect(found(byFirstRules(parsed.filter))).toHaveLength(0);
});
