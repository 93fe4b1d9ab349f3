/** A cell of a CSV file. A missing value is null. */
export type CsvCell = string | number | null;

/** Formats rows as CSV (RFC 4180). Puts an apostrophe before texts that a spreadsheet would evaluate. */
export function csvText(heads: readonly string[], rows: readonly (readonly CsvCell[])[]): string {
  return [heads, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(value: CsvCell): string {
  if (typeof value !== 'string') return String(value ?? '');
  const inert = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
