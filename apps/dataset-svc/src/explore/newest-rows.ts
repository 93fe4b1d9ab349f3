import type { Filter } from '@esd/record/filter/filter';
import type { Columns } from '../read-index/columns.ts';
import { type IndexAtState, matchingRows } from '../read-index/matching-rows.ts';
import { STEP, yieldAfterSlice } from '../read-index/slices.ts';
import { KSmallest } from './k-smallest.ts';

/** A position in the log: before the row of a record at a dataset revision; without a record, before all rows of the revision. */
export interface LogPosition {
  revision: number;
  recordId?: number | undefined;
}

/**
 * Finds the matching rows that were published before a position, as slots. The newest dataset revision comes first; within a revision,
 * the highest record id does. `hasMore` is true if there are further rows.
 */
export async function newestRows(
  index: IndexAtState,
  filter: Filter,
  before: LogPosition,
  limit: number,
): Promise<{ total: number; rows: Int32Array; hasMore: boolean }> {
  const matching = await matchingRows(index, filter);
  const newest = new KSmallest(limit + 1);
  // Ids and revisions usually grow together. From the highest id down, most rows are skipped without an insertion.
  for (let end = matching.length; end > 0; end -= STEP) {
    addNewest(index.columns, matching.subarray(Math.max(0, end - STEP), end), before, newest);
    await yieldAfterSlice();
  }
  const found = Int32Array.from(newest.list(), ({ item }) => item);
  return { total: matching.length, rows: found.subarray(0, limit), hasMore: found.length > limit };
}

function addNewest(
  { recordId, validFrom }: Columns,
  slots: Int32Array,
  { revision, recordId: below = 0 }: LogPosition,
  newest: KSmallest,
): void {
  for (let at = slots.length - 1; at >= 0; at -= 1) {
    const slot = slots[at] ?? 0;
    const from = validFrom[slot] ?? 0;
    if (-from >= newest.bound) continue;
    if (from < revision || (from === revision && (recordId[slot] ?? 0) < below)) newest.add(-from, slot);
  }
}
