import { columnLetters } from './column-letters.ts';

/** Returns the address of a cell, a row or a range in spreadsheet notation: `Sheet1!C7`, `'My data'!7:7`. */
export function cellAddress(sheet: string | undefined, row: number, column?: number): string {
  return inSheet(sheet, column === undefined ? `${row}:${row}` : `${columnLetters(column)}${row}`);
}

/** Prepends the name of the sheet, quoted if necessary, to an address. */
export function inSheet(sheet: string | undefined, address: string): string {
  if (sheet === undefined) return address;
  return `${/^[\p{L}_][\p{L}\p{N}_.]*$/u.test(sheet) ? sheet : `'${sheet.replaceAll("'", "''")}'`}!${address}`;
}
