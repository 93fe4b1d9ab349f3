import type { Filter } from '@esd/record/filter/filter';
import type { CategoryKey } from '@esd/record/filter/filter-keys';
import { inSlices } from '../read-index/columns/take-turns.ts';
import type { Reading } from '../read-index/read-index.ts';
import { type Category, categoryOf } from './categories.ts';
import { firstOf } from './first-of.ts';
import { intColumn, type MatchingRows, matchingRows, type PartColumn, matchingRowsExcept } from './matching-rows.ts';
import { byCodePoint } from '@esd/record/filter/text-order';

/** How often each value of a category occurs. */
export interface Facet {
  /** By count descending, then value. */
  values: { value: string; count: number }[];
  /** How many values occur. */
  distinct: number;
  /** How many records have none. */
  missing: number;
}

/** The counts of the values of categories, at most `limit` of each. A category's own key does not narrow its counts. */
export async function facets(
  reading: Reading,
  filter: Filter,
  { keys, limit }: { keys: readonly CategoryKey[]; limit: number },
): Promise<{ total: number; facets: Partial<Record<CategoryKey, Facet>> }> {
  const whole = await matchingRows(reading, filter);
  const counted: Partial<Record<CategoryKey, Facet>> = {};
  for (const key of keys) {
    counted[key] = await countValues(
      await matchingRowsExcept(reading, filter, key),
      await categoryOf(reading, key),
      limit,
    );
  }
  return { total: whole.total, facets: counted };
}

async function countValues({ total, parts }: MatchingRows, category: Category, limit: number): Promise<Facet> {
  const takeTurns = inSlices();
  const ofIds = new Uint32Array(category.idEnd);
  for (const part of parts) {
    countIds(intColumn(part, category.ids), ofIds);
    await takeTurns();
  }
  const { values, valuesOfId } = category;
  const counts = new Uint32Array(values.length);
  for (let id = 1; id < ofIds.length; id += 1) {
    const count = ofIds[id] ?? 0;
    if (count === 0) continue;
    for (const value of valuesOfId[id] ?? []) counts[value] = (counts[value] ?? 0) + count;
  }
  await takeTurns();
  const first = await firstOf(
    (function* () {
      for (const [at, count] of counts.entries()) if (count > 0) yield { value: values[at] ?? '', count };
    })(),
    limit,
    (a, b) => b.count - a.count || byCodePoint(a.value, b.value),
  );
  const distinct = counts.reduce((sum, count) => sum + (count > 0 ? 1 : 0), 0);
  return { values: first, distinct, missing: total - sumOfKnown(ofIds) };
}

function countIds({ values, places }: PartColumn<Int32Array>, counts: Uint32Array): void {
  for (let row = 0, end = places.length; row < end; row += 1) {
    const id = values[places[row] ?? 0] ?? 0;
    counts[id] = (counts[id] ?? 0) + 1;
  }
}

function sumOfKnown(ofIds: Uint32Array): number {
  let sum = 0;
  for (let id = 1; id < ofIds.length; id += 1) sum += ofIds[id] ?? 0;
  return sum;
}
