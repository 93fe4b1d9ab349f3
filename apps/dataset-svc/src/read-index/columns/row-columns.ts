import { featureKeys, type IndexRow, FEATURE_COLUMNS, TERM_COLUMNS, termKeys } from '../index-row.table.ts';

/** `validTo` of a row that is still valid: later than every dataset revision. */
export const FOREVER = 2_147_483_647;

/** What a record says of the stability of fiber formation. */
export const STABILITY = { unknown: 0, no: 1, yes: 2 } as const;

/**
 * Rows of the log by column. Rows are ordered by record id, then row id; a row never changes but for its `validTo`, which goes
 * once from FOREVER to a dataset revision that no reader has yet, so that who reads at a revision may look at any time.
 */
export interface RowColumns {
  readonly length: number;
  readonly rowId: Int32Array;
  readonly recordId: Int32Array;
  /** The dataset revision from which the row is valid. */
  readonly validFrom: Int32Array;
  /** The dataset revision at which it is no longer valid. */
  readonly validTo: Int32Array;
  /** STABILITY. */
  readonly stability: Int32Array;
  /** A bit for each feature, in the order of `featureKeys`, that the record has and that cannot be converted. */
  readonly notConvertible: Int32Array;
  /** Milliseconds since 1970. */
  readonly publishedAt: Float64Array;
  /** By `featureKeys`, each in the unit of its filter; NaN where there is none. */
  readonly features: readonly Float64Array[];
  /** By `termKeys`: an id of index_term, 0 where there is none. */
  readonly terms: readonly Int32Array[];
}

type Ints = (column: (rows: RowColumns) => Int32Array) => Int32Array;
type Doubles = (column: (rows: RowColumns) => Float64Array) => Float64Array;

/** Makes each column of new rows from the same column of others. */
function byColumn(length: number, ints: Ints, doubles: Doubles): RowColumns {
  return {
    length,
    rowId: ints((rows) => rows.rowId),
    recordId: ints((rows) => rows.recordId),
    validFrom: ints((rows) => rows.validFrom),
    validTo: ints((rows) => rows.validTo),
    stability: ints((rows) => rows.stability),
    notConvertible: ints((rows) => rows.notConvertible),
    publishedAt: doubles((rows) => rows.publishedAt),
    features: featureKeys.map((_, at) => doubles((rows) => rows.features[at] ?? new Float64Array(rows.length))),
    terms: termKeys.map((_, at) => ints((rows) => rows.terms[at] ?? new Int32Array(rows.length))),
  };
}

/** So many rows, to be filled in. */
export function newRows(length: number): RowColumns {
  return byColumn(
    length,
    () => new Int32Array(length),
    () => new Float64Array(length),
  );
}

/** Rows as the database has them. */
export function toColumns(rows: readonly IndexRow[]): RowColumns {
  const ints = (value: (row: IndexRow) => number): Int32Array => Int32Array.from(rows, value);
  return {
    length: rows.length,
    rowId: ints((row) => row.row_id),
    recordId: ints((row) => row.record_id),
    validFrom: ints((row) => row.valid_from),
    validTo: ints((row) => row.valid_to ?? FOREVER),
    stability: ints(({ is_formation_stable: stable }) =>
      stable === null ? STABILITY.unknown : stable ? STABILITY.yes : STABILITY.no,
    ),
    notConvertible: ints((row) => row.not_convertible ?? 0),
    publishedAt: Float64Array.from(rows, (row) => row.published_at?.getTime() ?? NaN),
    features: featureKeys.map((key) => {
      const column = FEATURE_COLUMNS[key];
      return Float64Array.from(rows, (row) => row[column] ?? NaN);
    }),
    terms: termKeys.map((key) => {
      const column = TERM_COLUMNS[key];
      return ints((row) => row[column] ?? 0);
    }),
  };
}

export const noRows: RowColumns = toColumns([]);

/** Some rows, in their order. */
export function sliceRows(rows: RowColumns, from: number, to: number): RowColumns {
  return byColumn(
    to - from,
    (column) => column(rows).slice(from, to),
    (column) => column(rows).slice(from, to),
  );
}

/** The rows at some places, in the order of these. */
export function pickRows(rows: RowColumns, places: readonly number[]): RowColumns {
  return byColumn(
    places.length,
    (column) => pickFrom(column(rows), places),
    (column) => Float64Array.from(places, (place) => column(rows)[place] ?? NaN),
  );
}

const pickFrom = (column: Int32Array, places: readonly number[]): Int32Array =>
  Int32Array.from(places, (place) => column[place] ?? 0);

/** All rows of each part after those of the part before. */
export function concatRows(parts: readonly RowColumns[]): RowColumns {
  return joinRuns(parts.map((rows) => ({ rows, from: 0, to: rows.length })));
}

/** The rows of two parts, each in its order, in the order of both. */
export function mergeRows(one: RowColumns, other: RowColumns): RowColumns {
  const runs: Run[] = [];
  let [first, second] = [0, 0];
  while (first < one.length || second < other.length) {
    let from = first;
    while (first < one.length && (second === other.length || comesBefore(one, first, other, second))) first += 1;
    if (first > from) runs.push({ rows: one, from, to: first });
    from = second;
    while (second < other.length && (first === one.length || comesBefore(other, second, one, first))) second += 1;
    if (second > from) runs.push({ rows: other, from, to: second });
  }
  return joinRuns(runs);
}

interface Run {
  rows: RowColumns;
  from: number;
  to: number;
}

function joinRuns(runs: readonly Run[]): RowColumns {
  const length = runs.reduce((sum, { from, to }) => sum + to - from, 0);
  return byColumn(
    length,
    (column) => {
      const all = new Int32Array(length);
      let at = 0;
      for (const { rows, from, to } of runs) {
        all.set(column(rows).subarray(from, to), at);
        at += to - from;
      }
      return all;
    },
    (column) => {
      const all = new Float64Array(length);
      let at = 0;
      for (const { rows, from, to } of runs) {
        all.set(column(rows).subarray(from, to), at);
        at += to - from;
      }
      return all;
    },
  );
}

function comesBefore(one: RowColumns, first: number, other: RowColumns, second: number): boolean {
  const [a, b] = [one.recordId[first] ?? 0, other.recordId[second] ?? 0];
  return a === b ? (one.rowId[first] ?? 0) < (other.rowId[second] ?? 0) : a < b;
}

/** The first place at which a record's rows are, or would be. */
export function placeOfRecord(rows: RowColumns, recordId: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows.recordId[middle] ?? 0) < recordId) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The slot of a row of a record; undefined where it is not among these. */
export function slotOfRow(rows: RowColumns, rowId: number, recordId: number): number | undefined {
  for (let slot = placeOfRecord(rows, recordId); rows.recordId[slot] === recordId; slot += 1) {
    if (rows.rowId[slot] === rowId) return slot;
  }
  return undefined;
}
