import type { TableCell } from './parse-cell.ts';

const START = '#VALUE! ';

/** A cell of a workbook as text; one that holds nothing that a record could says so, as spreadsheets do. */
export function cellText(cell: TableCell): string {
  return typeof cell === 'object' ? START + cell.unreadable : String(cell);
}

/** The cell that a text of `cellText` stands for, as far as it matters: what cannot be read stays so. */
export function cellOfText(text: string): TableCell {
  return text.startsWith(START) ? { unreadable: text.slice(START.length) } : text;
}
