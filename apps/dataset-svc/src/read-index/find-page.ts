import type { Filter } from '@esd/record/filter/filter';
import type { SortKey } from '@esd/record/filter/sort-keys';
import type { Columns } from './columns.ts';
import { countUpTo, firstRows, matchingRows, type Reading } from './matching-rows.ts';
import { sortedRows } from './sorted-rows.ts';

/** A requested page. */
export interface PageRequest {
  filter: Filter;
  /** Absent or empty: by ascending record id, which also orders ties. */
  sort?: readonly SortKey[] | undefined;
  skip: number;
  limit: number;
  /** The page has records with a higher id, `skip` counted from the first of them; not with `sort`. */
  after?: number | undefined;
}

export interface FoundPage {
  total: number;
  /** Ids of rows of record_revision, in the requested order. */
  rowIds: number[];
  /** With `after`: how many of the records that match have at most that id. */
  before: number;
  /** With `after`: the id after which the next page begins; undefined for the last page. */
  nextAfter: number | undefined;
}

/** Finds a page at the state of a reading. */
export async function findPage(
  reading: Reading,
  { filter, sort = [], skip, limit, after }: PageRequest,
): Promise<FoundPage> {
  const { columns } = reading;
  if (sort.length === 0 && skip === 0 && after === undefined) {
    const { total, rows } = await firstRows(reading, filter, limit);
    return { total, rowIds: [...rowIdsOf(columns, rows)], before: 0, nextAfter: undefined };
  }
  const rows = await matchingRows(reading, filter);
  const before = after === undefined ? 0 : countUpTo(columns, rows, after);
  const from = before + skip;
  const to = from + limit;
  const page = sort.length === 0 ? rows.subarray(from, to) : await sortedRows(reading, rows, sort, [from, to]);
  const last = page.at(-1);
  const hasNext = after !== undefined && last !== undefined && to < rows.length;
  return {
    total: rows.length,
    rowIds: [...rowIdsOf(columns, page)],
    before,
    nextAfter: hasNext ? columns.recordId[last] : undefined,
  };
}

/** Returns the row ids of slots. */
export function rowIdsOf({ rowId }: Columns, rows: Int32Array): Int32Array {
  return rows.map((slot) => rowId[slot] ?? 0);
}
