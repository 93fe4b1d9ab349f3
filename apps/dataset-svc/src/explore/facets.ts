import type { Filter } from '@esd/record/filter/filter';
import type { CategoryKey } from '@esd/record/filter/filter-keys';
import { byCodePoint } from '@esd/record/filter/text-order';
import { joinsNames } from '@esd/record/filter/text-terms';
import { triedFilter } from '@esd/record/metadata/key-labels';
import { countCodes } from '../read-index/distribution.ts';
import { type IndexAtState, matchingRows, matchingRowsExcept, totalsOf } from '../read-index/matching-rows.ts';
import { yieldAfterSlice } from '../read-index/slices.ts';
import { type Category, categoryOf, countValues } from './categories.ts';
import { firstOf } from './first-of.ts';

interface FacetsQuestion {
  keys: readonly CategoryKey[];
  limit: number;
  /** Whether to list the values of the tried records, with both counts. */
  tried?: boolean | undefined;
}

/**
 * Counts category values, by count descending, then the count of tried records, then value. A category ignores the condition on its own
 * key.
 */
export async function facets(index: IndexAtState, filter: Filter, { keys, limit, tried }: FacetsQuestion) {
  const ofTried = tried ? triedFilter(filter) : undefined;
  const counted: Partial<Record<CategoryKey, Awaited<ReturnType<typeof facetOf>>>> = {};
  for (const key of keys) {
    const isJoint = filter.some((condition) => condition.key === key && joinsNames(condition, index.references));
    const rowsOf = (of: Filter) => (isJoint ? matchingRows(index, of) : matchingRowsExcept(index, of, key));
    const [rows, triedRows] = [await rowsOf(filter), ofTried && (await rowsOf(ofTried))];
    counted[key] = await facetOf(await categoryOf(index, key), limit, rows, triedRows);
  }
  return {
    ...(await totalsOf(index, await matchingRows(index, filter))),
    ...(ofTried && { tried: (await matchingRows(index, ofTried)).length }),
    facets: counted,
  };
}

async function facetOf(category: Category, limit: number, rows: Int32Array, tried?: Int32Array) {
  const size = category.values.length;
  const counts = countValues(category, await countCodes(category.column, rows), size);
  const triedCounts = tried && countValues(category, await countCodes(category.column, tried), size);
  await yieldAfterSlice();
  const occurring = [...counts.subarray(0, size).keys()].filter((value) => ((triedCounts ?? counts)[value] ?? 0) > 0);
  const values = occurring.map((value) => ({
    value: category.values[value] ?? '',
    count: counts[value] ?? 0,
    ...(triedCounts && { tried: triedCounts[value] ?? 0 }),
  }));
  const listed = await firstOf(
    values,
    limit,
    (a, b) => b.count - a.count || (b.tried ?? 0) - (a.tried ?? 0) || byCodePoint(a.value, b.value),
  );
  return { values: listed, distinct: occurring.length, missing: counts[size] ?? 0 };
}
