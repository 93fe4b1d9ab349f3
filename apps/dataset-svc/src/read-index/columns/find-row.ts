import type { ColumnView } from './column-index.ts';
import { type RowColumns, slotOfRow } from './row-columns.ts';
import { segmentPlaceOf } from './segment.ts';

/** A row of the log and the record that it is a revision of. */
export interface RowOfRecord {
  rowId: number;
  recordId: number;
}

/** Where a row stands. */
interface PlaceOfRow {
  rows: RowColumns;
  slot: number;
}

/** Where a row of a record stands in the index; undefined for one that it does not have. */
export function findRow({ segments, tail }: ColumnView, { rowId, recordId }: RowOfRecord): PlaceOfRow | undefined {
  return (
    placeIn(segments[segmentPlaceOf(segments, recordId)]?.rows, rowId, recordId) ?? placeIn(tail.rows, rowId, recordId)
  );
}

function placeIn(rows: RowColumns | undefined, rowId: number, recordId: number): PlaceOfRow | undefined {
  const slot = rows && slotOfRow(rows, rowId, recordId);
  return rows && slot !== undefined ? { rows, slot } : undefined;
}
