import { columnConditions } from './column-conditions.ts';
import { columnKeys } from './column-keys.ts';
import { type FoundPage, findPage } from './columns/search.ts';
import { findSortedPage } from './columns/sorted.ts';
import type { Question, Reading } from './read-index.ts';

const NO_PAGE: FoundPage = { total: 0, rowIds: [], before: 0, lastRecordId: undefined };

/** A page at the state of a reading. Of a sorted one `before` and `lastRecordId` say nothing. */
export async function pageAt(
  reading: Reading,
  { filter, sort = [], skip, limit, after }: Omit<Question, 'revision' | 'atLeast'>,
): Promise<FoundPage> {
  const conditions = columnConditions(filter, reading);
  if (!conditions) return NO_PAGE;
  if (sort.length === 0) return findPage(reading.view, conditions, skip, limit, after);
  const keys = await columnKeys(sort, reading.dictionary);
  return { ...NO_PAGE, ...(await findSortedPage(reading.view, conditions, keys, skip, limit)) };
}
