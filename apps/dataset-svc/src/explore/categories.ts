import { categoryValue, isListed } from '@esd/record/filter/category-values';
import { type CategoryKey, categoryKeys } from '@esd/record/filter/filter-keys';
import { ServiceError } from '@esd/service/errors';
import { LRUCache } from 'lru-cache';
import { type RowColumns, STABILITY } from '../read-index/columns/row-columns.ts';
import { inSlices } from '../read-index/columns/take-turns.ts';
import { termKeys } from '../read-index/index-row.table.ts';
import type { Reading } from '../read-index/read-index.ts';
import type { TermDictionary } from '../read-index/term-dictionary.ts';

/** A category at one revision of the lists: by row an id, and by id the values that stand behind it. */
export interface Category {
  readonly key: CategoryKey;
  /** The ids by slot; 0 where a record has no value. */
  readonly ids: (rows: RowColumns) => Int32Array;
  /** All ids are below. */
  readonly idEnd: number;
  /** Every value once, by the lists' own names. */
  readonly values: readonly string[];
  /** By id: which of `values` it stands for, each once; none for 0. */
  readonly valuesOfId: readonly (readonly number[] | undefined)[];
}

/** What was made of the sets of a key so far: sets are only ever added. */
interface Table {
  read: number;
  values: string[];
  places: Map<string, number>;
  valuesOfId: (readonly number[] | undefined)[];
}

const MAX_TABLES = 64;
const tables = new WeakMap<TermDictionary, LRUCache<string, Table>>();

const stability: Category = {
  key: 'isFormationStable',
  ids: (rows) => rows.stability,
  idEnd: 3,
  values: ['no', 'yes'],
  valuesOfId: Object.values(STABILITY).map((id) => (id === STABILITY.unknown ? [] : [id - 1])),
};

/** The category of a key as the lists of a reading name its values. */
export async function categoryOf(reading: Reading, key: CategoryKey): Promise<Category> {
  if (key === 'isFormationStable') return stability;
  const { dictionary, references } = reading;
  const sets = dictionary.setsOf(key);
  const table = tableOf(dictionary, isListed(key) ? `${references.revision} ${key}` : key);
  const takeTurns = inSlices();
  while (table.read < sets.length) {
    const { id, terms } = sets[table.read++] ?? { id: 0, terms: [] };
    const places = terms.map((term) => placeOf(table, categoryValue(key, term, references)));
    table.valuesOfId[id] = [...new Set(places)];
    await takeTurns();
  }
  const term = termKeys.indexOf(key);
  return {
    key,
    ids: (rows) => rows.terms[term] ?? new Int32Array(),
    idEnd: dictionary.lastId() + 1,
    values: table.values,
    valuesOfId: table.valuesOfId,
  };
}

/** A category key. Throws INVALID_PARAMETER for what is none. */
export function requireCategory(name: string): CategoryKey {
  const key = categoryKeys.find((known) => known === name);
  if (key === undefined) throw new ServiceError('INVALID_PARAMETER', `"${name}" is not a category.`);
  return key;
}

function tableOf(dictionary: TermDictionary, name: string): Table {
  const known = tables.get(dictionary) ?? new LRUCache<string, Table>({ max: MAX_TABLES });
  tables.set(dictionary, known);
  const found = known.get(name);
  if (found) return found;
  const table: Table = { read: 0, values: [], places: new Map(), valuesOfId: [] };
  known.set(name, table);
  return table;
}

function placeOf({ values, places }: Table, value: string): number {
  const known = places.get(value);
  if (known !== undefined) return known;
  values.push(value);
  places.set(value, values.length - 1);
  return values.length - 1;
}
