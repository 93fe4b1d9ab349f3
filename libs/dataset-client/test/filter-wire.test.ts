import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Filter as WireFilter } from '@esd/proto/esd/dataset/v1/dataset';
import { conditionStatuses } from '@esd/record/filter/filter';
import { features, textKeys } from '@esd/record/filter/filter-keys';
import { parseFilter } from '@esd/record/filter/parse-filter';
import { filterFromWire, filterToWire } from '../src/filter-wire.ts';

const text = fc.constantFrom('PCL', 'Rotating Drum', '10.1002/APP', ' ä ß ', '=PCL|PVA', '=');
const number = fc.double({ noNaN: true, noDefaultInfinity: true });
const members = fc.record(
  Object.fromEntries<fc.Arbitrary<string | number>>([
    ...textKeys.map(({ key }) => [key, text] as const),
    ...features.flatMap(({ min, max }, at) => (at % 2 === 0 ? [[min, number] as const] : [[max, number] as const])),
    ['isFormationStable', fc.constantFrom('yes', 'no', '=', '=yes|no')] as const,
    ['status', fc.constantFrom(...conditionStatuses)] as const,
  ]),
  { requiredKeys: [] },
);

test('a filter is the same after a conversion to a message and back', () => {
  fc.assert(
    fc.property(members, (value) => {
      const parsed = parseFilter(JSON.stringify(value));
      if ('problem' in parsed) throw new Error(parsed.problem.message);
      const sent = filterToWire(parsed.filter);
      const received = sent && WireFilter.decode(WireFilter.encode(sent).finish());
      expect(filterFromWire(received)).toEqual(parsed.filter);
    }),
  );
});

test.each([
  { key: 'colour', condition: { $case: 'text', value: 'red' } as const },
  { key: 'voltage', condition: { $case: 'text', value: 'red' } as const },
  { key: 'polymer', condition: { $case: 'range', value: { min: 1 } } as const },
  { key: 'voltage', condition: { $case: 'values' as const, value: { values: ['a'] } } },
  { key: 'polymer', condition: { $case: 'flag', value: true } as const },
  { key: 'status', condition: { $case: 'status', value: 'ELSEWHERE' } as const },
  { key: 'polymer', condition: undefined },
])('an unknown condition is rejected: %j', (condition) => {
  expect(() => filterFromWire({ conditions: [condition] })).toThrow(
    expect.objectContaining({
      code: 'UNAVAILABLE',
      message: `This replica does not know the condition \`${condition.key}\` yet. Retry in a moment.`,
    }),
  );
});
