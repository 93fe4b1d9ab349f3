import type { TableCell } from './parse-cell.ts';

const START = '#VALUE! ';

/** Converts a cell of a workbook to text; an unreadable cell becomes `#VALUE! …`. */
export function cellText(cell: TableCell): string {
  return typeof cell === 'object' ? START + cell.unreadable : String(cell);
}

/** Reverts `cellText` for unreadable cells; other cells remain text. */
export function cellOfText(text: string): TableCell {
  return text.startsWith(START) ? { unreadable: text.slice(START.length) } : text;
}
