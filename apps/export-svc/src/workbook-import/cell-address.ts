import { columnLetters } from '../files/column-letters.ts';

/** The address of a cell, or without a column of a row, as spreadsheets write it: `Sheet1!C7`, `'My data'!7:7`. */
export function cellAddress(sheet: string | undefined, row: number, column?: number): string {
  const place = column === undefined ? `${row}:${row}` : `${columnLetters(column)}${row}`;
  if (sheet === undefined) return place;
  return `${/^[\p{L}_][\p{L}\p{N}_.]*$/u.test(sheet) ? sheet : `'${sheet.replaceAll("'", "''")}'`}!${place}`;
}
