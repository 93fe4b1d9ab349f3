import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { publicRecordJson } from '../src/catalog/public-record.ts';
import type { Filter } from '../src/filter/filter.ts';
import { featureValues } from '../src/filter/feature-values.ts';
import { type FeatureKeys, features, textKeys } from '../src/filter/filter-keys.ts';
import { matchFilter } from '../src/filter/match-filter.ts';
import { parseFilter } from '../src/filter/parse-filter.ts';
import { flatten } from '../src/flatten/flatten.ts';
import { RULES } from '../src/rules.ts';
import { demoRecords } from './demo-records.ts';
import { references } from './seed-lists.ts';

/** The digest of the results of the current rules. A changed digest requires a new number, which invalidates all caches. */
const GOLDEN = { rules: 5, answers: 'c9979ac3b7254d4b' };

const texts = [
  ...['PVA', 'caprolactone', 'acid', 'DMF', 'water', 'chloroform', 'bead', 'smooth', 'whip', '10.1', 's10'],
  ...['rotating', 'rotary collector', 'Rotating Drum', 'drum', 'disc', 'mandrel', 'flat', 'flat plate'],
  ...['single', 'single nozzle', 'uniaxial', 'coaxial', 'brittle'],
];

const filtersBy = (ranges: readonly FeatureKeys[]): readonly string[] =>
  [
    ...textKeys.flatMap(({ key }) => texts.map((text) => ({ [key]: text }))),
    ...ranges.flatMap(({ min, max }) => [{ [min]: 0.5 }, { [min]: 10, [max]: 100 }, { [max]: 500 }]),
    ...['yes', 'no'].map((isFormationStable) => ({ isFormationStable })),
    ...['PUBLISHED', 'PENDING'].map((status) => ({ status })),
  ].map((filter) => JSON.stringify(filter));

function filterOf(text: string): Filter {
  const parsed = parseFilter(text);
  if ('problem' in parsed) throw new Error(parsed.problem.message);
  return parsed.filter;
}

function digestOf(answers: Iterable<unknown>): string {
  const hash = createHash('sha256');
  for (const answer of answers) hash.update(`${JSON.stringify(answer)}\n`);
  return hash.digest('hex').slice(0, 16);
}

const found = (filter: Filter): number[] =>
  demoRecords.flatMap((record, index) => (matchFilter(filter, record, references) ? [index + 1] : []));

const values = ['=', '=PVA|PVDF', '=DMF', '=Rolling Drum', '=Flat', '=Bead', '=10.1007/s10965-014-0571-8', '=brittle'];
const exact = textKeys.flatMap(({ key }) => values.map((value) => JSON.stringify({ [key]: value })));

const filters = [...filtersBy(features), '{"isFormationStable":"="}', ...exact];

function columnLines(rows: readonly Readonly<Record<string, unknown>>[]): Record<string, string> {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].sort();
  return Object.fromEntries(
    columns.map((column) => {
      const values = rows.map((row) => row[column]);
      return [column, `${values.filter((value) => value !== undefined).length} records, ${digestOf(values)}`];
    }),
  );
}

test('results over the demo change only with RULES', () => {
  const answers = filters.map((text) => found(filterOf(text)));
  const values = demoRecords.map((record) => featureValues(record, references));
  const bodies = demoRecords.map((record, index) => publicRecordJson(index + 1, record));
  const rows = demoRecords.map((record, index) => flatten(index + 1, record));
  // The snapshot shows which result differs. Filters without a record are only part of the digest.
  const matching = filters.flatMap((text, index): [string, readonly number[]][] => {
    const ids = answers[index] ?? [];
    return ids.length === 0 ? [] : [[text, ids]];
  });
  expect({
    filters: Object.fromEntries(matching.map(([text, ids]) => [text, `${ids.length} records, ${digestOf(ids)}`])),
    features: columnLines(values),
    bodies: columnLines(bodies.map((body) => JSON.parse(body) as Record<string, unknown>)),
    rows: columnLines(rows),
  }).toMatchSnapshot();
  const records = demoRecords.map((_, index) => [values[index], bodies[index], rows[index]]);
  expect({ rules: RULES, answers: digestOf([...answers, ...records]) }).toEqual(GOLDEN);
});

test('a search for a rotating drum also finds rolling drums', () => {
  expect(found(filterOf('{"collectorType":"Rotating Drum"}'))).toHaveLength(265);
});
