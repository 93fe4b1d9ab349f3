/** The letters of a column, from 0: 27 is `AB`. */
export function columnLetters(index: number): string {
  const rest = Math.floor(index / 26);
  return (rest === 0 ? '' : columnLetters(rest - 1)) + String.fromCharCode(65 + (index % 26));
}

/** The address of a cell, or without a column of a row, as spreadsheets write it: `Sheet1!C7`, `'My data'!7:7`. */
export function cellAddress(sheet: string | undefined, row: number, column?: number): string {
  const place = column === undefined ? `${row}:${row}` : `${columnLetters(column)}${row}`;
  if (sheet === undefined) return place;
  return `${/^[\p{L}_][\p{L}\p{N}_.]*$/u.test(sheet) ? sheet : `'${sheet.replaceAll("'", "''")}'`}!${place}`;
}
