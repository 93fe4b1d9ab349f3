import { indexReferences, type References } from '@esd/record/reference/reference';
import { Columns, FOREVER, type NewRows, STABILITY } from '../../src/read-index/columns.ts';
import { byKey, featureKeys, termKeys } from '../../src/read-index/index-row.table.ts';
import { type IndexAtState, openRowsCache } from '../../src/read-index/matching-rows.ts';
import { PaperHistory } from '../../src/read-index/paper-history.ts';
import { openTermDictionary } from '../../src/read-index/term-dictionary.ts';

/** A row of the log as an object. */
export interface PlainRow {
  rowId: number;
  recordId: number;
  validFrom: number;
  validTo?: number | undefined;
  /** `?`: not convertible. */
  voltage?: number | '?' | undefined;
  fiberDiameter?: number | undefined;
  publishedAt?: number | undefined;
  /** An id of `terms`. */
  polymer?: number | undefined;
  /** An id of `terms`. */
  doi?: number | undefined;
  stable?: boolean | undefined;
  repeatKey?: number | undefined;
  settingsKey?: number | undefined;
}

/** Texts by id. Their order differs from that of the ids. */
export const terms = ['', 'delta', 'alpha', 'echo', 'bravo', 'charlie'];

const VOLTAGE = featureKeys.indexOf('voltage');

export const byRecord = (a: PlainRow, b: PlainRow): number => a.recordId - b.recordId || a.rowId - b.rowId;

/** Turns rows, ordered by record id, then row id, into columns. */
export function newRows(rows: readonly PlainRow[]): NewRows {
  const ints = (value: (row: PlainRow) => number): Int32Array => Int32Array.from(rows, value);
  return {
    rowId: ints(({ rowId }) => rowId),
    recordId: ints(({ recordId }) => recordId),
    validFrom: ints(({ validFrom }) => validFrom),
    validTo: ints(({ validTo }) => validTo ?? FOREVER),
    stability: ints(({ stable }) => (stable === undefined ? STABILITY.unknown : stable ? STABILITY.yes : STABILITY.no)),
    notConvertible: ints(({ voltage }) => (voltage === '?' ? 1 << VOLTAGE : 0)),
    publishedAt: Float64Array.from(rows, ({ publishedAt }) => publishedAt ?? NaN),
    repeatKey: Float64Array.from(rows, ({ repeatKey }) => repeatKey ?? NaN),
    settingsKey: Float64Array.from(rows, ({ settingsKey }) => settingsKey ?? NaN),
    features: byKey(featureKeys, (key) =>
      Float64Array.from(rows, ({ voltage, fiberDiameter }) => {
        const value = key === 'voltage' ? voltage : key === 'fiberDiameter' ? fiberDiameter : undefined;
        return typeof value === 'number' ? value : NaN;
      }),
    ),
    terms: byKey(termKeys, (key) => ints((row) => (key === 'polymer' || key === 'doi' ? (row[key] ?? 0) : 0))),
  };
}

export const noLists: References = indexReferences({
  revision: 1,
  ambiguous: [],
  polymers: [],
  solvents: [],
  units: [],
  morphologies: [],
  instabilities: [],
});

/** Returns an index of columns at a dataset revision, with an empty cache. */
export function indexAt(columns: Columns, revision: number): IndexAtState {
  const dictionary = openTermDictionary();
  for (const field of ['polymer', 'doi'] as const) {
    dictionary.add(terms.slice(1).map((term, at) => ({ id: at + 1, field, terms: JSON.stringify([term]) })));
  }
  const state = { datasetId: 'd', revision, recordCount: 0, committedAt: new Date(0) };
  return {
    state,
    references: noLists,
    papers: new PaperHistory(),
    dictionary,
    columns,
    cache: openRowsCache(),
    once: false,
  };
}

/** Returns columns with rows, which may be in any order. */
export async function columnsOf(rows: readonly PlainRow[]): Promise<Columns> {
  const columns = new Columns(rows.length);
  await columns.append(newRows(rows.toSorted(byRecord)));
  return columns;
}

/** Returns the rows that are valid at a revision, by record id. */
export function validAt(rows: readonly PlainRow[], revision: number): PlainRow[] {
  return rows.filter(({ validFrom, validTo = FOREVER }) => validFrom <= revision && validTo > revision).sort(byRecord);
}
