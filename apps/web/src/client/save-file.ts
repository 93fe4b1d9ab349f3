import { csvLine } from '@esd/record/sheet/csv-line';

export function saveFile(name: string, value: unknown): void {
  saveBlob(name, new Blob([JSON.stringify(value, null, 2)], { type: 'application/json' }));
}

export function saveBlob(name: string, bytes: Blob): void {
  const address = URL.createObjectURL(bytes);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // By then the browser has begun to read the file.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

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
