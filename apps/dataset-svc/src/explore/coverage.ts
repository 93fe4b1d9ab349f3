import type { Filter } from '@esd/record/filter/filter';
import { type CategoryKey, categoryKeys, type Feature } from '@esd/record/filter/filter-keys';
import { inSlices } from '../read-index/columns/take-turns.ts';
import { featureKeys } from '../read-index/index-row.table.ts';
import type { Reading } from '../read-index/read-index.ts';
import { categoryOf } from './categories.ts';
import { byCodePoint } from '@esd/record/filter/text-order';
import { firstOf } from './first-of.ts';
import { doubleColumn, intColumn, matchingRows, mayHaveFeature, type PartColumn } from './matching-rows.ts';

/** How many of the records with a value have each feature and category. */
export interface CoverageRow {
  /** Null: the records without one. */
  value: string | null;
  count: number;
  /** A value that cannot be converted counts as filled. */
  filled: Record<Feature | CategoryKey, number>;
}

export interface Coverage {
  total: number;
  by: CategoryKey;
  /** How many values occur. */
  distinct: number;
  /** By count descending, then value. */
  rows: CoverageRow[];
}

/** Features first: the bits of `notConvertible` are theirs. */
const KEYS = [...featureKeys, ...categoryKeys];
const WIDTH = KEYS.length + 1;
const STEP = 8_192;

/** How complete the records that match are, by the values of a category; at most `limit` rows. */
export async function coverage(reading: Reading, filter: Filter, by: CategoryKey, limit: number): Promise<Coverage> {
  const { total, parts } = await matchingRows(reading, filter);
  const { ids, values, valuesOfId } = await categoryOf(reading, by);
  const categories = [];
  for (const key of categoryKeys) categories.push(await categoryOf(reading, key));
  const takeTurns = inSlices();
  const without = [values.length];
  const valuesOf = (id: number): readonly number[] => (id === 0 ? without : (valuesOfId[id] ?? without));
  /** By value, then those without: how many records, then how many have each key. */
  const counts = new Uint32Array((values.length + 1) * WIDTH);
  for (const part of parts) {
    const bits = intColumn(part, (rows) => rows.notConvertible);
    const filled = bits.places.map((place) => bits.values[place] ?? 0);
    for (const feature of featureKeys.keys()) {
      if (mayHaveFeature(part, feature)) addFeature(filled, doubleColumn(part, feature), feature);
      await takeTurns();
    }
    for (const [at, category] of categories.entries()) {
      addCategory(filled, intColumn(part, category.ids), featureKeys.length + at);
      await takeTurns();
    }
    const own = intColumn(part, ids);
    for (let from = 0; from < filled.length; from += STEP) {
      addCounts(counts, own, filled, from, Math.min(filled.length, from + STEP), valuesOf);
      await takeTurns();
    }
  }
  const countOf = (value: number): number => counts[value * WIDTH] ?? 0;
  let distinct = 0;
  for (const value of values.keys()) if (countOf(value) > 0) distinct += 1;
  const places = Array.from({ length: values.length + 1 }, (_, value) => value).filter((value) => countOf(value) > 0);
  const first = await firstOf(
    places,
    limit,
    (a, b) => countOf(b) - countOf(a) || compareValues(values[a] ?? null, values[b] ?? null),
  );
  return {
    total,
    by,
    distinct,
    rows: first.map((value) => ({
      value: values[value] ?? null,
      count: countOf(value),
      filled: byKey((at) => counts[value * WIDTH + 1 + at] ?? 0),
    })),
  };
}

function addFeature(filled: Int32Array, { values, places }: PartColumn<Float64Array>, feature: number): void {
  for (let at = 0; at < filled.length; at += 1) {
    if (!Number.isNaN(values[places[at] ?? 0] ?? NaN)) filled[at] = (filled[at] ?? 0) | (1 << feature);
  }
}

function addCategory(filled: Int32Array, { values, places }: PartColumn<Int32Array>, bit: number): void {
  for (let at = 0; at < filled.length; at += 1) {
    if ((values[places[at] ?? 0] ?? 0) !== 0) filled[at] = (filled[at] ?? 0) | (1 << bit);
  }
}

function addCounts(
  counts: Uint32Array,
  { values, places }: PartColumn<Int32Array>,
  filled: Int32Array,
  from: number,
  to: number,
  valuesOf: (id: number) => readonly number[],
): void {
  for (let at = from; at < to; at += 1) {
    for (const value of valuesOf(values[places[at] ?? 0] ?? 0)) {
      const base = value * WIDTH;
      counts[base] = (counts[base] ?? 0) + 1;
      for (let left = filled[at] ?? 0; left !== 0; left &= left - 1) {
        const place = base + 32 - Math.clz32(left & -left);
        counts[place] = (counts[place] ?? 0) + 1;
      }
    }
  }
}

/** Those without a value come last. */
function compareValues(a: string | null, b: string | null): number {
  if (a === null || b === null) return (a === null ? 1 : 0) - (b === null ? 1 : 0);
  return byCodePoint(a, b);
}

function byKey(valueAt: (at: number) => number): CoverageRow['filled'] {
  // The entries are the keys that the type names.
  return Object.fromEntries(KEYS.map((key, at) => [key, valueAt(at)])) as CoverageRow['filled'];
}
