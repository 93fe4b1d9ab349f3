/**
 * A text that spreadsheets evaluate as a formula: it begins with a character of OWASP's list ("CSV Injection"), or has
 * one after `;` or tab, which are separators in some locales. Also matches guarded texts, so that guards are reversible.
 */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]|[;\t][=+\-@\t\r\n＝＋－＠]/;

/** Prepends an apostrophe to a text that a spreadsheet would evaluate as a formula. */
export function guardFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

export function unguardFormula(text: string): string {
  return text.startsWith("'") && FORMULA.test(text.slice(1)) ? text.slice(1) : text;
}
