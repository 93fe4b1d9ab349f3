import { expect, test } from '@jest/globals';
import { recordStatuses } from '@esd/record/status/record-status';
import fc from 'fast-check';
import { aggregateStatus } from '../../src/own-data/own-data.ts';

test('the aggregate is EMPTY, the common status, or MIXED', () => {
  expect(aggregateStatus([])).toBe('EMPTY');
  for (const status of recordStatuses) expect(aggregateStatus([status, status, status])).toBe(status);
  expect(aggregateStatus(['PENDING', 'PENDING', 'APPROVED'])).toBe('MIXED');
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...recordStatuses), { minLength: 1 }), (statuses) => {
      const aggregate = aggregateStatus(statuses);
      expect(aggregate === 'MIXED').toBe(new Set(statuses).size > 1);
      expect(aggregateStatus([...statuses].reverse())).toBe(aggregate);
    }),
  );
});
