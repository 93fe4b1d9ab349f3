import type { ExperimentData } from './catalogue.ts';
import { flatten, flattenedColumns } from './flatten.ts';
import type { Cell } from './flatten.ts';

/** The media type of the lines that this file makes. */
export const CSV_MEDIA_TYPE = 'text/csv; charset=utf-8; header=present';

const LINE_END = '\r\n';

/**
 * A text that spreadsheets take for a text: an apostrophe goes before one that begins with `=`, `+`, `-` or `@`, which
 * they would run as a formula, and before one that begins with apostrophes and then one of these, so that it can be
 * undone.
 */
export function guardFormula(text: string): string {
  return /^'*[=+\-@]/.test(text) ? `'${text}` : text;
}

/** Undoes `guardFormula`. */
export function unguardFormula(text: string): string {
  return /^'+[=+\-@]/.test(text) ? text.slice(1) : text;
}

/** The header line: the flattened columns in their order. */
export function csvHeader(): string {
  return lineOf(flattenedColumns);
}

/**
 * One record as a line of RFC 4180, CRLF at its end. Booleans are `true` and `false`, numbers as JSON writes them, what
 * is absent is an empty field. Texts are guarded (see `guardFormula`), numbers are not: a negative one stays a number.
 */
export function csvLine(recordId: number, data: ExperimentData): string {
  const row = flatten(recordId, data);
  return lineOf(flattenedColumns.map((column) => row[column]));
}

function lineOf(cells: readonly Cell[]): string {
  return cells.map(field).join(',') + LINE_END;
}

function field(cell: Cell): string {
  if (cell === undefined) return '';
  const text = typeof cell === 'string' ? guardFormula(cell) : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
