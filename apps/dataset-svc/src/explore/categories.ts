import { categoryValue, isListed } from '@esd/record/filter/category-values';
import { type CategoryKey, categoryKeys, type Feature } from '@esd/record/filter/filter-keys';
import { byCodePoint } from '@esd/record/filter/text-order';
import { ServiceError } from '@esd/service/errors';
import { LRUCache } from 'lru-cache';
import type { CodedColumn } from '../read-index/coded-column.ts';
import { STABILITY } from '../read-index/columns.ts';
import type { Reading } from '../read-index/matching-rows.ts';
import { takeTurns } from '../read-index/take-turns.ts';
import type { TermDictionary } from '../read-index/term-dictionary.ts';

export interface Category {
  readonly key: CategoryKey;
  readonly column: CodedColumn;
  /** The distinct values, by the names of the lists. */
  readonly values: readonly string[];
  /** By code of the column: the values of a row with this code, as indexes in `values`. */
  readonly valuesOf: readonly (readonly number[] | undefined)[];
}

/** The values of the term sets of a key that have been read so far. Sets are only added. */
interface Table {
  read: number;
  values: string[];
  indexes: Map<string, number>;
  valuesOf: (readonly number[] | undefined)[];
}

const MAX_TABLES = 64;
const tables = new WeakMap<TermDictionary, LRUCache<string, Table>>();

const stableValues: Pick<Category, 'values' | 'valuesOf'> = {
  values: ['no', 'yes'],
  valuesOf: Object.values(STABILITY).map((code) => (code === STABILITY.unknown ? [] : [code - 1])),
};

export async function categoryOf(reading: Reading, key: CategoryKey): Promise<Category> {
  const { columns, dictionary, references } = reading;
  if (key === 'isFormationStable') return { key, column: columns.stability, ...stableValues };
  const sets = dictionary.setsOf(key);
  const table = tableOf(dictionary, isListed(key) ? `${references.revision} ${key}` : key);
  while (table.read < sets.length) {
    const { id, terms } = sets[table.read++] ?? { id: 0, terms: [] };
    const indexes = terms.map((term) => indexOfValue(table, categoryValue(key, term, references)));
    table.valuesOf[id] = [...new Set(indexes)];
    await takeTurns();
  }
  return { key, column: columns.terms[key], values: table.values, valuesOf: table.valuesOf };
}

/** Returns a category key. Throws INVALID_PARAMETER for an unknown name. */
export function requireCategory(name: string): CategoryKey {
  const key = categoryKeys.find((known) => known === name);
  if (key === undefined) throw new ServiceError('INVALID_PARAMETER', `"${name}" is not a category.`);
  return key;
}

export function isCategory(key: Feature | CategoryKey): key is CategoryKey {
  return categoryKeys.some((category) => category === key);
}

/** Sums counts by code for each value of a category. */
export function countValues({ values, valuesOf }: Category, byCode: Int32Array): Int32Array {
  const counts = new Int32Array(values.length);
  for (const [code, count] of byCode.entries()) {
    if (count === 0) continue;
    for (const value of valuesOf[code] ?? []) counts[value] = (counts[value] ?? 0) + count;
  }
  return counts;
}

/** Sums counts by code for the rows without a value. */
export function countMissing({ valuesOf }: Category, byCode: Int32Array): number {
  let missing = 0;
  for (const [code, count] of byCode.entries()) if (count > 0 && !valuesOf[code]?.length) missing += count;
  return missing;
}

/** Returns the values of rows with a code, in text order. */
export function namesOf({ values, valuesOf }: Category, code: number): string[] {
  return (valuesOf[code] ?? []).map((value) => values[value] ?? '').sort(byCodePoint);
}

function tableOf(dictionary: TermDictionary, name: string): Table {
  const known = tables.get(dictionary) ?? new LRUCache<string, Table>({ max: MAX_TABLES });
  tables.set(dictionary, known);
  const found = known.get(name);
  if (found) return found;
  const table: Table = { read: 0, values: [], indexes: new Map(), valuesOf: [] };
  known.set(name, table);
  return table;
}

function indexOfValue({ values, indexes }: Table, value: string): number {
  const known = indexes.get(value);
  if (known !== undefined) return known;
  values.push(value);
  indexes.set(value, values.length - 1);
  return values.length - 1;
}
