import { type Bitmap, forEachBit } from './bitmap.ts';
import type { ColumnView } from './column-index.ts';
import type { FeatureColumn } from './feature-column.ts';
import { selectRows, type Selection, valuesAt } from './figures.ts';
import { type Narrowed, narrowToPlaces, narrowToTerms } from './narrow-to-places.ts';
import type { RowColumns } from './row-columns.ts';
import { findPage } from './search.ts';
import type { ColumnCondition, Segment } from './segment.ts';
import { sortInSlices } from './sort-in-slices.ts';
import { inSlices } from './take-turns.ts';

/** A column that rows are sorted by. Rows without a value come last in both directions. */
export type ColumnKey = { readonly descending: boolean } & (
  | { readonly kind: 'recordId' | 'publishedAt' }
  /** As in `featureKeys`. */
  | { readonly kind: 'feature'; readonly feature: number }
  /** As in `termKeys`; `ranks` has the rank of each id of index_term. */
  | { readonly kind: 'term'; readonly term: number; readonly ranks: Int32Array }
);

/** Rows, each by one number that grows with part and slot. */
interface Rows {
  readonly parts: readonly { segment: Segment; start: number }[];
  readonly ids: Int32Array;
}

/** So few rows are sorted whole. */
const SORTED_WHOLE = 2_048;
/** Of so many rows the bins of a column, or counts of its texts, tell first which ones a page can be of. */
const NARROWED_FROM = 16_384;

/** Rows that are looked at at once. */
const STEPS = 16_384;

const RECORD_ID: ColumnKey = { kind: 'recordId', descending: false };

/**
 * How many rows match, and the row ids of the page in the order of the keys, then by ascending record id, without sorting all: the
 * values at both ends of the page are found, what is between them is sorted, and rows that are equal to one of them are told apart
 * by the next key.
 */
export async function findSortedPage(
  view: ColumnView,
  conditions: readonly ColumnCondition[],
  keys: readonly ColumnKey[],
  skip: number,
  limit: number,
): Promise<{ total: number; rowIds: number[] }> {
  const selection = await selectRows(view, conditions);
  const { total } = selection;
  const [from, to] = [Math.min(skip, total), Math.min(skip + limit, total)];
  const [first] = keys;
  if (from === to) return { total, rowIds: [] };
  if (first?.kind === 'recordId') {
    // Record ids are the order of the index, and no two rows have the same.
    const { rowIds } = await findPage(view, conditions, first.descending ? total - to : from, to - from);
    return { total, rowIds: first.descending ? rowIds.reverse() : rowIds };
  }
  const narrowed =
    first && total >= NARROWED_FROM ? await narrow(selection, first, from, to) : { selection, before: 0 };
  const rows = await rowsOf(narrowed.selection);
  const { before } = narrowed;
  const page = await between(rows, [...keys, RECORD_ID], from - before, to - before);
  return { total, rowIds: [...(await rowIdsOf(rows, page))] };
}

function narrow(selection: Selection, key: ColumnKey, from: number, to: number): Promise<Narrowed> {
  if (key.kind === 'term') return narrowToTerms(selection, key, from, to);
  const columnOf = ({ features, publishedAt }: Segment): FeatureColumn | undefined =>
    key.kind === 'feature' ? features[key.feature] : publishedAt;
  return narrowToPlaces(selection, columnOf, key.descending, from, to);
}

/** The row ids of all that match, in the order of the keys, then by ascending record id. */
export async function findAllSorted(
  view: ColumnView,
  conditions: readonly ColumnCondition[],
  keys: readonly ColumnKey[],
): Promise<Int32Array> {
  const rows = await rowsOf(await selectRows(view, conditions));
  return rowIdsOf(rows, await ordered(rows, [...keys, RECORD_ID]));
}

async function rowsOf({ parts }: Pick<Selection, 'parts'>): Promise<Rows> {
  const takeTurns = inSlices();
  const ids = new Int32Array(parts.reduce((sum, { count }) => sum + count, 0));
  const placed: { segment: Segment; start: number }[] = [];
  let [start, filled] = [0, 0];
  const add = (bits: Bitmap, from: number): void => {
    forEachBit(bits, (slot) => {
      ids[filled++] = from + slot;
    });
  };
  for (const { segment, bits } of parts) {
    placed.push({ segment, start });
    add(bits, start);
    start += segment.rows.length;
    await takeTurns();
  }
  return { parts: placed, ids };
}

async function rowIdsOf({ parts }: Rows, ids: ArrayLike<number>): Promise<Int32Array> {
  const takeTurns = inSlices();
  const rowIds = new Int32Array(ids.length);
  for (let at = 0; at < ids.length;) {
    for (const until = Math.min(ids.length, at + STEPS); at < until; at += 1) {
      const id = ids[at] ?? 0;
      const part = parts.findLast(({ start }) => start <= id);
      rowIds[at] = part?.segment.rows.rowId[id - part.start] ?? 0;
    }
    await takeTurns();
  }
  return rowIds;
}

/** Those of the rows that are in the order of the keys from one place up to before another. The last key tells all rows apart. */
async function between(rows: Rows, keys: readonly ColumnKey[], from: number, to: number): Promise<number[]> {
  const { parts, ids } = rows;
  const [key, ...rest] = keys;
  if (from >= to || from >= ids.length) return [];
  if (ids.length <= SORTED_WHOLE || key === undefined) return [...(await ordered(rows, keys)).subarray(from, to)];
  const { numbers, present, missing } = await split(rows, key);
  const found: number[] = [];
  const end = Math.min(to, present.length);
  if (from < end) {
    const [low = NaN, high = NaN] = await valuesAt(numbers, [from, end - 1]);
    const { below, atLow, inside, atHigh } = await partition(numbers, present, low, high);
    const ends = [from - below, Math.min(atLow.length, end - below)] as const;
    found.push(...(await between({ parts, ids: atLow }, rest, ...ends)));
    found.push(...(await ordered({ parts, ids: inside }, keys)));
    found.push(...(await between({ parts, ids: atHigh }, rest, 0, end - below - atLow.length - inside.length)));
  }
  const others = [Math.max(0, from - present.length), to - present.length] as const;
  found.push(...(await between({ parts, ids: missing }, rest, ...others)));
  return found;
}

/** Rows by how their numbers lie to two of them. */
async function partition(numbers: Float64Array, ids: Int32Array, low: number, high: number) {
  const takeTurns = inSlices();
  const [atLow, atHigh] = [new Int32Array(ids.length), new Int32Array(low === high ? 0 : ids.length)];
  const inside: number[] = [];
  let [below, lows, highs] = [0, 0, 0];
  for (let at = 0; at < ids.length;) {
    for (const until = Math.min(ids.length, at + STEPS); at < until; at += 1) {
      const number = numbers[at] ?? NaN;
      const id = ids[at] ?? 0;
      if (number < low) below += 1;
      else if (number === low) atLow[lows++] = id;
      else if (number < high) inside.push(id);
      else if (number === high) atHigh[highs++] = id;
    }
    await takeTurns();
  }
  return { below, atLow: atLow.subarray(0, lows), inside: Int32Array.from(inside), atHigh: atHigh.subarray(0, highs) };
}

/** The rows with their numbers, and those without one. */
async function split(rows: Rows, key: ColumnKey) {
  const { ids } = rows;
  const numbers = await numbersOf(rows, key);
  const [present, missing] = [new Int32Array(ids.length), new Int32Array(ids.length)];
  let filled = 0;
  for (let at = 0; at < ids.length; at += 1) {
    const number = numbers[at] ?? NaN;
    const id = ids[at] ?? 0;
    if (Number.isNaN(number)) missing[at - filled] = id;
    else {
      numbers[filled] = number;
      present[filled++] = id;
    }
  }
  return {
    numbers: numbers.subarray(0, filled),
    present: present.subarray(0, filled),
    missing: missing.subarray(0, ids.length - filled),
  };
}

/** What the rows are sorted by, as ascending numbers; NaN where there is none. */
async function numbersOf({ parts, ids }: Rows, key: ColumnKey): Promise<Float64Array> {
  const takeTurns = inSlices();
  const numbers = new Float64Array(ids.length);
  const sign = key.descending ? -1 : 1;
  let at = 0;
  for (const { segment, start } of parts) {
    const { rows } = segment;
    const end = start + rows.length;
    const column = columnOf(rows, key);
    const ranks = key.kind === 'term' ? key.ranks : undefined;
    for (; at < ids.length && (ids[at] ?? 0) < end; at += 1) {
      const value = column[(ids[at] ?? 0) - start] ?? NaN;
      const number = ranks === undefined ? value : value === 0 ? NaN : (ranks[value] ?? NaN);
      // Minus zero is zero.
      numbers[at] = sign * number + 0;
    }
    await takeTurns();
  }
  return numbers;
}

function columnOf(rows: RowColumns, key: ColumnKey): Float64Array | Int32Array {
  const column =
    key.kind === 'feature' ? rows.features[key.feature] : key.kind === 'term' ? rows.terms[key.term] : rows[key.kind];
  if (!column) throw new Error(`there is no column of the kind ${key.kind} to sort by`);
  return column;
}

/** All of the rows in the order of the keys. */
async function ordered(rows: Rows, keys: readonly ColumnKey[]): Promise<Int32Array> {
  const columns: Float64Array[] = [];
  for (const key of keys) columns.push(await numbersOf(rows, key));
  const order = await sortInSlices(rows.ids.length, (one, other) => {
    for (const column of columns) {
      const [a, b] = [column[one] ?? NaN, column[other] ?? NaN];
      if (a < b) return -1;
      if (a > b) return 1;
      // One of them, or both, may have no value.
      if (a !== b && Number.isNaN(a) !== Number.isNaN(b)) return Number.isNaN(a) ? 1 : -1;
    }
    return 0;
  });
  return Int32Array.from(order, (at) => rows.ids[at] ?? 0);
}
