import type { Filter } from '@esd/record/filter/filter';
import { type CategoryKey, categoryKeys, type Feature } from '@esd/record/filter/filter-keys';
import { byCodePoint } from '@esd/record/filter/text-order';
import { type CodedColumn, NO_VALUE } from '../read-index/coded-column.ts';
import { countCodes } from '../read-index/distribution.ts';
import { featureKeys } from '../read-index/index-row.table.ts';
import { type IndexAtState, matchingRows, totalsOf } from '../read-index/matching-rows.ts';
import { inSteps } from '../read-index/slices.ts';
import { categoryOf, countValues, filledCodes, isCategory } from './categories.ts';
import { firstOf } from './first-of.ts';

/**
 * Counts for each value of a category how many matching records have each feature and category, including values that cannot be
 * converted. Returns at most `limit` rows, by count descending, then value. The row null counts the records without a value.
 */
export async function coverage(index: IndexAtState, filter: Filter, by: CategoryKey, limit: number) {
  const rows = await matchingRows(index, filter);
  const category = await categoryOf(index, by);
  // Publishing a text appends values, so the first `size` ones are those of this index.
  const { values } = category;
  const size = values.length;
  /** By index in `values`; the last item counts records without a value. */
  const countOf = countValues(category, await countCodes(category.column, rows), size);
  const filledOf = new Map<Feature | CategoryKey, Int32Array>();
  for (const key of [...featureKeys, ...categoryKeys]) {
    const [{ codes }, filled] = await filledColumn(index, key);
    const byCode = new Int32Array(category.column.codeEnd);
    await inSteps(rows, (slots) => {
      countFilled(slots, category.column.codes, codes, filled, byCode);
    });
    filledOf.set(key, countValues(category, byCode, size));
  }
  const occurring = [...countOf.keys()].filter((value) => (countOf[value] ?? 0) > 0);
  const nameOf = (value: number): string | null => (value < size ? (values[value] ?? null) : null);
  const first = await firstOf(
    occurring,
    limit,
    (a, b) => (countOf[b] ?? 0) - (countOf[a] ?? 0) || compareValues(nameOf(a), nameOf(b)),
  );
  return {
    ...(await totalsOf(index, rows)),
    by,
    distinct: occurring.filter((value) => value < size).length,
    rows: first.map((value) => ({
      value: nameOf(value),
      count: countOf[value] ?? 0,
      // `filledOf` has all keys.
      filled: Object.fromEntries([...filledOf].map(([key, counts]) => [key, counts[value] ?? 0])) as Record<
        Feature | CategoryKey,
        number
      >,
    })),
  };
}

/** Returns the column of a key, and by code whether a row has a value. */
async function filledColumn(index: IndexAtState, key: Feature | CategoryKey): Promise<[CodedColumn, Uint8Array]> {
  if (isCategory(key)) {
    const category = await categoryOf(index, key);
    return [category.column, filledCodes(category)];
  }
  const column = index.columns.features[key];
  const filled = new Uint8Array(column.codeEnd).fill(1);
  filled[NO_VALUE] = 0;
  return [column, filled];
}

function countFilled(
  rows: Int32Array,
  by: Int32Array,
  codes: Int32Array,
  filled: Uint8Array,
  counts: Int32Array,
): void {
  for (let at = 0, end = rows.length; at < end; at += 1) {
    const slot = rows[at] ?? 0;
    if (filled[codes[slot] ?? 0] === 0) continue;
    const code = by[slot] ?? 0;
    counts[code] = (counts[code] ?? 0) + 1;
  }
}

function compareValues(a: string | null, b: string | null): number {
  if (a === null || b === null) return (a === null ? 1 : 0) - (b === null ? 1 : 0);
  return byCodePoint(a, b);
}
