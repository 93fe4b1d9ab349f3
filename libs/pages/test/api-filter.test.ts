import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { exactText } from '@esd/record/filter/exact-text';
import { categoryKeys, filterKeys, rangeKeys } from '@esd/record/filter/filter-keys';
import { parseFilter } from '@esd/record/filter/parse-filter';
import { readApiFilter } from '../src/api-filter.ts';
import { filterOf, readView } from '../src/explore-view.ts';

const read = (parameters: Readonly<Record<string, string>> | [string, string][]) =>
  readApiFilter(new URLSearchParams(parameters));

const words = fc.string({ minLength: 1, maxLength: 12 });
const number = fc.double({ noNaN: true, noDefaultInfinity: true });
const texts = fc.constantFrom(...categoryKeys).chain((key) => {
  const exact = fc.uniqueArray(words, { maxLength: 3 }).map(exactText);
  const value =
    key === 'isFormationStable' ? fc.constantFrom('yes', ' NO ', '=no', '=yes|no', '=') : fc.oneof(words, exact);
  return fc.tuple(fc.constant<string>(key), value);
});
const bounds = fc
  .tuple(fc.constantFrom(...rangeKeys), fc.constantFrom('min' as const, 'max' as const), number)
  .chain(([range, bound, value]) => fc.tuple(fc.constant(range[bound]), fc.constantFrom(value, String(value))));
const status = fc.constantFrom('PUBLISHED', 'approved', 'PENDING').map((value): [string, string] => ['status', value]);
const filters = fc
  .uniqueArray(fc.oneof(texts, bounds, status), { maxLength: 6, selector: ([key]) => key })
  .map((pairs) => JSON.stringify(Object.fromEntries(pairs)));

test('the page understands every valid filter of the API as the API does', () => {
  expect(filterKeys.length).toBeGreaterThan(40);
  fc.assert(
    fc.property(filters, (text) => {
      const found = read({ filter: text });
      const parsed = parseFilter(text);
      if ('problem' in parsed) {
        expect(found).toEqual({ kind: 'problem', message: parsed.problem.message });
        return;
      }
      const { view, ignored } = readView(new URLSearchParams(found.kind === 'filter' ? found.query : '?none'));
      expect(ignored).toEqual([]);
      expect(parseFilter(JSON.stringify(filterOf(view)))).toEqual(parsed);
    }),
  );
});

test.each([
  [{ filter: '{"polymer":"PVDF","voltageMin":10}' }, '?polymer=PVDF&voltageMin=10'],
  [
    { filter: '{"polymer":"=PVDF|PVA"}', version: 'v1.0.0', tab: 'map' },
    '?polymer=%3DPVDF%7CPVA&version=v1.0.0&tab=map',
  ],
  [{ filter: '{"fieldStrengthMax":"1e0"}' }, '?fieldStrengthMax=1e0'],
  [{ filter: '{}' }, ''],
  [{ filter: ' {} ', page: '2' }, '?page=2'],
])('%j leads to %s', (parameters, query) => {
  expect(read(parameters)).toEqual({ kind: 'filter', query });
});

test.each([
  ['PVDF', /^Expected a JSON object such as .*, got text that is not JSON: "PVDF"\.$/],
  ['{"polymr":"PVDF"}', /^Unknown filter key "polymr"; nearest: "polymer"\.$/],
  ['{"voltageMin":30,"voltageMax":5}', /is above/],
  ['{"polymer":"PVDF","polymer":"PVA"}', /appears more than once/],
  [
    `{"polymer":"${'x'.repeat(5_000)}"}`,
    /^A filter must have at most 4096 characters; this one has 5014\. Send a longer one to POST/,
  ],
])('%s is refused with a reason', (filter, message) => {
  expect(read({ filter })).toEqual({ kind: 'problem', message: expect.stringMatching(message) });
});

test('an empty parameter is absent, and two filters are refused', () => {
  expect(read({ filter: ' ', polymer: 'PVDF' })).toEqual({ kind: 'none' });
  expect(
    read([
      ['filter', '{}'],
      ['filter', '{"polymer":"PVDF"}'],
    ]),
  ).toMatchObject({ kind: 'problem' });
});
