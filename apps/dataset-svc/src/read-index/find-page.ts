import type { Filter } from '@esd/record/filter/filter';
import type { SortKey } from '@esd/record/filter/sort-keys';
import type { Columns } from './columns.ts';
import { countUpTo, firstRows, type IndexAtState, matchingRows } from './matching-rows.ts';
import { sortedRows } from './sorted-rows.ts';

export interface PageRequest {
  filter: Filter;
  /** Default: ascending record id, which also orders ties. */
  sort?: readonly SortKey[] | undefined;
  skip: number;
  limit: number;
  /** The page begins after this record id, and `skip` counts from there. Not with `sort`. */
  after?: number | undefined;
}

export interface FoundPage {
  total: number;
  /** Ids of rows of record_revision, in the requested order. */
  rowIds: number[];
  /** With `after`: the number of matching records up to that id. */
  before: number;
  /** With `after`: the `after` of the next page; undefined for the last page. */
  nextAfter: number | undefined;
}

export async function findPage(index: IndexAtState, request: PageRequest): Promise<FoundPage> {
  const { rows, ...found } = await findPageRows(index, request);
  return { ...found, rowIds: [...rowIdsOf(index.columns, rows)] };
}

/** Finds the rows of a page of results as slots of the columns. */
export async function findPageRows(
  index: IndexAtState,
  { filter, sort = [], skip, limit, after }: PageRequest,
): Promise<Omit<FoundPage, 'rowIds'> & { rows: Int32Array }> {
  const { columns } = index;
  if (sort.length === 0 && skip === 0 && after === undefined) {
    return { ...(await firstRows(index, filter, limit)), before: 0, nextAfter: undefined };
  }
  const rows = await matchingRows(index, filter);
  const before = after === undefined ? 0 : countUpTo(columns, rows, after);
  const from = before + skip;
  const to = from + limit;
  const page = sort.length === 0 ? rows.subarray(from, to) : await sortedRows(index, rows, sort, [from, to]);
  const last = page.at(-1);
  const hasNext = after !== undefined && last !== undefined && to < rows.length;
  return {
    total: rows.length,
    rows: page,
    before,
    nextAfter: hasNext ? columns.recordId[last] : undefined,
  };
}

export function rowIdsOf({ rowId }: Columns, rows: Int32Array): Int32Array {
  return rows.map((slot) => rowId[slot] ?? 0);
}
