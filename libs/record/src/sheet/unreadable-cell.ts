import { isFormatted, type PlainCell, plainCell, type TableCell, type UnreadableCell } from './parse-cell.ts';

const START = '#VALUE! ';
const DATE_STARTS = ['The cell is formatted as a date or time', 'The cell contains the date'] as const;

/** Returns a cell with a date; `value` is the number or the text of the cell. */
export function dateCell(start: (typeof DATE_STARTS)[number], value: string): UnreadableCell {
  const unreadable = `${start} ${value}; write the value and format the cell as a number or text.`;
  return { kind: 'date', unreadable };
}

/** Converts a cell of a workbook to text; an unreadable cell becomes `#VALUE! …`. */
export function cellText(cell: TableCell): string {
  const plain = plainCell(cell);
  return typeof plain === 'object' ? START + plain.unreadable : String(plain);
}

/** Converts a cell to the text that its sheet shows. */
export function shownText(cell: TableCell): string {
  return (isFormatted(cell) ? cell.shown : undefined) ?? cellText(cell);
}

/** Reverts `cellText` for unreadable cells; other cells remain text. */
export function cellOfText(text: string): PlainCell {
  if (!text.startsWith(START)) return text;
  const unreadable = text.slice(START.length);
  return { kind: DATE_STARTS.some((start) => unreadable.startsWith(start)) ? 'date' : 'other', unreadable };
}
