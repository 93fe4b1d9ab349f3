import { shorten } from '../validate/problems.ts';
import { isFormatted } from './parse-cell.ts';
import type { OrientedSheet, TableRow } from './sheet-grid.ts';
import type { PlacedColumn, SheetNote } from './sheet-reading.ts';
import { plainText } from './sheet-rows.ts';
import type { SheetTable } from './sheet-tables.ts';

const MAX_COMMENT_LENGTH = 200;

/** Returns the notes of the headings: the footnote marks that were dropped, and the comments. */
export function headingNotes(
  sheet: OrientedSheet,
  { headingRow, unitRow }: SheetTable,
  columns: readonly PlacedColumn[],
): SheetNote[] {
  const notes: SheetNote[] = [];
  for (const { index, state, heading, unmarked } of columns) {
    if (unmarked === undefined || state !== 'read') continue;
    const path = sheet.address(headingRow.number, index);
    notes.push({ path, kind: 'footnote', text: shorten(heading), reads: shorten(unmarked) });
  }
  const used = new Set(columns.flatMap(({ index, state }) => (state === 'left-out' ? [] : [index])));
  for (const row of [headingRow, unitRow]) if (row !== undefined) notes.push(...commentNotes(sheet, row, used));
  return notes;
}

/** Returns a note for each comment in the columns of a row. */
export function commentNotes(
  { address }: OrientedSheet,
  { number, cells }: TableRow,
  columns: { has(column: number): boolean },
): SheetNote[] {
  const notes: SheetNote[] = [];
  for (const [at, cell] of cells) {
    if (!isFormatted(cell) || cell.comment === undefined || !columns.has(at)) continue;
    const text = cell.comment.slice(0, MAX_COMMENT_LENGTH);
    notes.push({ path: address(number, at), kind: 'comment', text, reads: shorten(plainText(cell)) });
  }
  return notes;
}
