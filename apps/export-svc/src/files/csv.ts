import type { Cell } from '@esd/record/flatten/flatten';

const LINE_END = '\r\n';

/**
 * A text that spreadsheets run as a formula: it begins with a character of OWASP's list ("CSV Injection"), or has one behind
 * `;` or tab, where a spreadsheet of another country begins a cell. With apostrophes before it is one too, so that a guard
 * can be undone.
 */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]|[;\t][=+\-@\t\r\n＝＋－＠]/;

/** A text that spreadsheets take for a text: one apostrophe goes before one that holds the beginning of a formula. */
export function guardFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

/** Undoes `guardFormula`: takes one apostrophe away, where it guards. */
export function unguardFormula(text: string): string {
  return text.startsWith("'") && FORMULA.test(text.slice(1)) ? text.slice(1) : text;
}

/**
 * Cells as a line of RFC 4180, CRLF at its end. Booleans are `true` and `false`, numbers as JSON writes them, what is
 * absent is an empty field. Texts are guarded (see `guardFormula`), numbers are not: a negative one stays a number.
 */
export function csvLine(cells: readonly Cell[]): string {
  return cells.map(field).join(',') + LINE_END;
}

function field(cell: Cell): string {
  if (cell === undefined) return '';
  return typeof cell === 'string' ? csvField(cell) : String(cell);
}

/** A text as a field of RFC 4180, guarded (see `guardFormula`); a guarded one is quoted, whatever it holds. */
export function csvField(text: string): string {
  const guarded = guardFormula(text);
  return guarded !== text || /[",\r\n]/.test(text) ? `"${guarded.replaceAll('"', '""')}"` : text;
}
