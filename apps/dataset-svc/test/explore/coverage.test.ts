import { afterEach, expect, jest, test } from '@jest/globals';
import { categoryOf } from '../../src/explore/categories.ts';
import { coverage } from '../../src/explore/coverage.ts';
import { columnsOf, indexAt } from '../read-index/plain-rows.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

test('texts that are published during a coverage count do not change its rows', async () => {
  const rows = [1, 2, 2, undefined].map((polymer, at) => ({
    rowId: at + 1,
    recordId: at + 1,
    validFrom: 1,
    polymer,
    voltage: 5,
  }));
  const index = indexAt(await columnsOf(rows), 1);
  const alone = await coverage(index, [], 'polymer', 10);
  expect(alone.rows.map(({ value, count, filled }) => [value, count, filled.polymer, filled.voltage])).toEqual([
    ['alpha', 2, 2, 2],
    ['delta', 1, 1, 1],
    [null, 1, 0, 1],
  ]);
  // Every slice has expired at its first check, so other work runs after each step.
  jest.spyOn(performance, 'now').mockReturnValue(NaN);
  const counting = coverage(index, [], 'polymer', 10);
  for (let added = 0; added < 40; added += 1) {
    index.dictionary.add([{ id: 100 + added, field: 'polymer', terms: JSON.stringify([`later ${added}`]) }]);
    await categoryOf(index, 'polymer');
  }
  expect(await counting).toEqual(alone);
});
