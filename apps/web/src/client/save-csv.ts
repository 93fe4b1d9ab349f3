import { csvLine } from '@esd/record/sheet/csv-line';
import { saveBlob } from './save-file.ts';

/** A cell of a CSV file. A missing value is null. */
export type CsvCell = string | number | null;

/** Saves rows as CSV. */
export function saveCsv(name: string, heads: readonly string[], rows: readonly (readonly CsvCell[])[]): void {
  saveBlob(name, new Blob([csvText(heads, rows)], { type: 'text/csv' }));
}

/** Formats rows as CSV (RFC 4180). Puts an apostrophe before texts that a spreadsheet would evaluate. */
export function csvText(heads: readonly string[], rows: readonly (readonly CsvCell[])[]): string {
  return [heads, ...rows].map((row) => csvLine(row.map((cell) => cell ?? undefined))).join('');
}
