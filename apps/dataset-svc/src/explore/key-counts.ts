import { type KeyFacts, keyFacts } from '@esd/record/metadata/key-facts';
import { countCodes, distributionOf, rangeOf } from '../read-index/distribution.ts';
import { allRows, type IndexAtState } from '../read-index/matching-rows.ts';
import { yieldAfterSlice } from '../read-index/slices.ts';
import { categoryOf, countValues, isCategory } from './categories.ts';

interface KeyCounts {
  /** Records with a value that can be read. */
  count: number;
  /** Null for a category. */
  notConvertible: number | null;
  /** The number of values; null for a feature. */
  distinct: number | null;
  /** Null without values, and for a category. */
  range: { min: number; max: number } | null;
}

/** Describes each feature and category with its values over all records, also those that repeat another one. */
export async function keyCounts(index: IndexAtState) {
  const rows = await allRows(index);
  const described = [];
  for (const facts of keyFacts) {
    described.push({ ...facts, ...(await countsOf(index, rows, facts)) });
    await yieldAfterSlice();
  }
  return { total: rows.length, features: described };
}

async function countsOf(index: IndexAtState, rows: Int32Array, { key }: KeyFacts): Promise<KeyCounts> {
  if (isCategory(key)) {
    const category = await categoryOf(index, key);
    const size = category.values.length;
    const counts = countValues(category, await countCodes(category.column, rows), size);
    const distinct = counts.subarray(0, size).filter((count) => count > 0).length;
    return { count: rows.length - (counts[size] ?? 0), notConvertible: null, distinct, range: null };
  }
  const distribution = await distributionOf(index.columns.features[key], rows);
  const { count, notConvertible } = distribution;
  return { count, notConvertible, distinct: null, range: rangeOf(distribution) ?? null };
}
