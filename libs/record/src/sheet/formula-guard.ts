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
