import { csvLine } from '@esd/record/sheet/csv-line';

/** A cell of a CSV file. A missing value is null. */
export type CsvCell = string | number | null;

/** Formats rows as CSV (RFC 4180). Puts an apostrophe before texts that a spreadsheet would evaluate. */
export function csvText(heads: readonly string[], rows: readonly (readonly CsvCell[])[]): string {
  return [heads, ...rows].map((row) => csvLine(row.map((cell) => cell ?? undefined))).join('');
}
