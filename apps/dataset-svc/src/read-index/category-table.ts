import { categoryValue, isListed } from '@esd/record/filter/category-values';
import {
  isPaperKey,
  isSystemKey,
  type PaperKey,
  type SystemKey,
  systemNames,
  type TextKey,
} from '@esd/record/filter/filter-keys';
import { paperText } from '@esd/record/filter/paper-values';
import type { References } from '@esd/record/reference/reference';
import { systemOf } from '@esd/record/reference/systems';
import { LRUCache } from 'lru-cache';
import type { CodedColumn } from './coded-column.ts';
import type { Columns } from './columns.ts';
import type { PaperHistory } from './paper-history.ts';
import { yieldAfterSlice } from './slices.ts';
import type { TermDictionary } from './term-dictionary.ts';

/** The values of a text key, by the lists of a state. */
export interface CategoryTable {
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
  /** By value: the array of this value alone, which most codes share. */
  single: (readonly number[])[];
  valuesOf: (readonly number[] | undefined)[];
}

/** The texts of records, and the lists of a state. */
export interface TextsAtState {
  readonly dictionary: TermDictionary;
  readonly papers: PaperHistory;
  readonly references: References;
  readonly state: { readonly revision: number };
}

const MAX_TABLES = 32;
const tables = new WeakMap<TermDictionary, LRUCache<string, Table>>();

/** A key whose values follow from the texts of a record. */
type TableKey = TextKey | SystemKey | PaperKey;

/** Returns the key of the texts that determine the values of a key: a paper follows from its DOI, a system from its names. */
function sourceOf(key: TableKey): TextKey {
  if (isPaperKey(key)) return 'doi';
  return isSystemKey(key) ? systemNames[key] : key;
}

/** Returns the column whose codes determine the values of a key. */
export function columnOf({ terms }: Columns, key: TableKey): CodedColumn {
  return terms[sourceOf(key)];
}

/** Returns the values of a key at the state of an index. Cached by the state of the lists. */
export async function categoryTable(index: TextsAtState, key: TableKey): Promise<CategoryTable> {
  const { dictionary } = index;
  const sets = dictionary.setsOf(sourceOf(key));
  const table = tableOf(dictionary, nameOf(index, key));
  while (table.read < sets.length) {
    const { id, terms } = sets[table.read++] ?? { id: 0, terms: [] };
    const values = isSystemKey(key)
      ? [systemOf(index.references, systemNames[key], terms)]
      : terms.map((term) => valueOf(index, key, term));
    const indexes = new Set(values.flatMap((value) => indexOfValue(table, value) ?? []));
    const [first] = indexes;
    table.valuesOf[id] = indexes.size === 1 && first !== undefined ? table.single[first] : [...indexes];
    await yieldAfterSlice();
  }
  return table;
}

/** Returns the codes of a key whose value satisfies a condition; without one, the codes without a value. */
export async function codesWithValue(
  index: TextsAtState & { readonly columns: Columns },
  key: SystemKey | PaperKey,
  isWanted: ((value: string) => boolean) | undefined,
): Promise<number[]> {
  const { values, valuesOf } = await categoryTable(index, key);
  const wanted = values.map((value) => isWanted?.(value) ?? false);
  const { codeEnd } = columnOf(index.columns, key);
  const codes: number[] = [];
  for (let code = 0; code < codeEnd; code += 1) {
    const [value] = valuesOf[code] ?? [];
    if (value === undefined ? isWanted === undefined : wanted[value] === true) codes.push(code);
  }
  return codes;
}

function nameOf({ references, papers, state }: TextsAtState, key: TableKey): string {
  if (isPaperKey(key)) return `${papers.changedAt(state.revision)} ${key}`;
  return isListed(key) || isSystemKey(key) ? `${references.revision} ${key}` : key;
}

function valueOf(
  { references, papers, state }: TextsAtState,
  key: TextKey | PaperKey,
  term: string,
): string | undefined {
  if (isPaperKey(key)) return paperText(papers.valuesAt(term, state.revision), key);
  return categoryValue(key, term, references);
}

function tableOf(dictionary: TermDictionary, name: string): Table {
  const known = tables.get(dictionary) ?? new LRUCache<string, Table>({ max: MAX_TABLES });
  tables.set(dictionary, known);
  const found = known.get(name);
  if (found) return found;
  const table: Table = { read: 0, values: [], indexes: new Map(), single: [], valuesOf: [] };
  known.set(name, table);
  return table;
}

function indexOfValue({ values, indexes, single }: Table, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const known = indexes.get(value);
  if (known !== undefined) return known;
  const index = values.length;
  values.push(value);
  single.push([index]);
  indexes.set(value, index);
  return index;
}
