import type { Filter } from '@esd/record/filter/filter';
import type { CategoryKey } from '@esd/record/filter/filter-keys';
import { byCodePoint } from '@esd/record/filter/text-order';
import { countCodes } from '../read-index/distribution.ts';
import { matchingRows, matchingRowsExcept, type Reading } from '../read-index/matching-rows.ts';
import { takeTurns } from '../read-index/take-turns.ts';
import { categoryOf, countValues, filledCodes } from './categories.ts';
import { firstOf } from './first-of.ts';

/** Counts category values, by count descending, then value. A category ignores the condition on its own key. */
export async function facets(
  reading: Reading,
  filter: Filter,
  { keys, limit }: { keys: readonly CategoryKey[]; limit: number },
) {
  const { length: total } = await matchingRows(reading, filter);
  const counted: Partial<Record<CategoryKey, Awaited<ReturnType<typeof facetOf>>>> = {};
  for (const key of keys)
    counted[key] = await facetOf(reading, await matchingRowsExcept(reading, filter, key), key, limit);
  return { total, facets: counted };
}

async function facetOf(reading: Reading, rows: Int32Array, key: CategoryKey, limit: number) {
  const category = await categoryOf(reading, key);
  const byCode = await countCodes(category.column, rows);
  const counts = countValues(category, byCode);
  await takeTurns();
  const occurring = [...counts.keys()].filter((value) => (counts[value] ?? 0) > 0);
  const values = occurring.map((value) => ({ value: category.values[value] ?? '', count: counts[value] ?? 0 }));
  const first = await firstOf(values, limit, (a, b) => b.count - a.count || byCodePoint(a.value, b.value));
  const filled = filledCodes(category);
  const missing = byCode.reduce((sum, count, code) => (filled[code] === 1 ? sum : sum + count), 0);
  return { values: first, distinct: occurring.length, missing };
}
