import type { DecimalMark } from './sheet-reading.ts';

/** A number as written in a text, from its sign to its exponent. */
interface NumberToken {
  readonly raw: string;
  readonly end: number;
}

const UNUSUAL = /[^ -~]|  /;

/** Unifies spaces, minus signs, micro signs and full-width characters; folds no other compatibility form. */
export function cleanText(text: string): string {
  if (!UNUSUAL.test(text)) return text.trim();
  return (
    text
      .replace(/[\s\u200B\u2060]+/g, ' ')
      .replace(/[\u2010\u2011\u2212\uFE63\uFF0D]/g, '-')
      .replaceAll('\u03BC', '\u00B5')
      // A wave dash between numbers is a range, unlike `~` before one.
      .replace(/(?<=\S) ?[\uFF5E\u301C] ?(?=\S)/g, '–')
      .replace(/[\uFF01-\uFF5D]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
      .trim()
  );
}

const DIGIT = /\d/;

function isDigit(text: string, at: number): boolean {
  return DIGIT.test(text.charAt(at));
}

/**
 * Finds the number that begins at a position, with marks and groups of digits. Reads each character once; the text has
 * normal spaces and signs.
 */
export function scanNumber(text: string, from: number): NumberToken | undefined {
  let at = from;
  if (text[at] === '+' || text[at] === '-') at += 1;
  const start = at;
  // A bare decimal mark before the digits: `.5`
  if ((text[at] === '.' || text[at] === ',') && isDigit(text, at + 1)) at += 1;
  if (!isDigit(text, at)) return undefined;
  let group = 0;
  while (at < text.length) {
    if (isDigit(text, at)) group += 1;
    else if ((text[at] === '.' || text[at] === ',' || text[at] === "'") && isDigit(text, at + 1)) group = 0;
    else if (text[at] === ' ' && group <= 3 && isGroupOfThree(text, at + 1) && !/[.,]/.test(text.slice(start, at))) {
      group = 0;
    } else break;
    at += 1;
  }
  // `15.`, but not the first period of `10..12`.
  if (text[at] === '.' && text[at + 1] !== '.' && !/[.,]/.test(text.slice(start, at))) at += 1;
  const exponent = /^e[+-]?\d+/i.exec(text.slice(at, at + 8))?.[0] ?? '';
  return { raw: text.slice(from, at + exponent.length), end: at + exponent.length };
}

function isGroupOfThree(text: string, at: number): boolean {
  return isDigit(text, at) && isDigit(text, at + 1) && isDigit(text, at + 2) && !isDigit(text, at + 3);
}

export type NumberForm =
  | {
      readonly kind: 'one';
      readonly value: number;
      readonly note?: 'decimal-comma' | 'thousands';
      readonly mark?: DecimalMark;
    }
  /** `1,234`: the mark separates decimals or thousands. */
  | { readonly kind: 'two'; readonly written: DecimalMark; readonly decimal: number; readonly thousands: number };

const GROUPED = /^\d{1,3}(?:[ ']\d{3})+(?:(?<mark>[.,])\d+)?$/;
const POINT_GROUPS = /^\d{1,3}(?:\.\d{3})+,\d+$/;
const COMMA_GROUPS = /^\d{1,3}(?:,\d{3})+\.\d+$/;
const MANY_POINTS = /^\d{1,3}(?:\.\d{3}){2,}$/;
const MANY_COMMAS = /^\d{1,3}(?:,\d{3}){2,}$/;
const ONE_MARK = /^\d*(?<mark>[.,])\d*$/;
const TWO_WAYS = /^[1-9]\d{0,2}[.,]\d{3}$/;

/** Returns the values that a number token can have; undefined if its groups are malformed. */
export function numberForm(raw: string): NumberForm | undefined {
  const [, sign = '', body = '', exponent = ''] = /^([+-]?)([^e]*)(e.*)?$/i.exec(raw) ?? [];
  const number = (digits: string): number => Number(sign + digits + exponent);
  if (/^\d+$/.test(body)) return { kind: 'one', value: number(body) };
  const written = ONE_MARK.exec(body)?.groups?.['mark'];
  if (written !== undefined) {
    const decimal = number(body.replace(',', '.'));
    const mark = written === ',' ? ',' : '.';
    if (TWO_WAYS.test(body) && exponent === '') {
      return { kind: 'two', written: mark, decimal, thousands: number(body.replace(mark, '')) };
    }
    return { kind: 'one', value: decimal, mark, ...(mark === ',' ? { note: 'decimal-comma' } : {}) };
  }
  const grouped = GROUPED.exec(body);
  if (grouped) {
    const mark = grouped.groups?.['mark'];
    const value = number(body.replaceAll(/[ ']/g, '').replace(',', '.'));
    return { kind: 'one', value, note: 'thousands', ...(mark === ',' || mark === '.' ? { mark } : {}) };
  }
  if (POINT_GROUPS.test(body) || MANY_POINTS.test(body)) {
    const value = number(body.replaceAll('.', '').replace(',', '.'));
    return { kind: 'one', value, note: 'thousands', mark: ',' };
  }
  if (COMMA_GROUPS.test(body) || MANY_COMMAS.test(body)) {
    return { kind: 'one', value: number(body.replaceAll(',', '')), note: 'thousands', mark: '.' };
  }
  return undefined;
}

/** Returns the number that is the whole text; undefined for another text, and for one with several readings. */
export function numberIn(text: string): number | undefined {
  const token = scanNumber(text, 0);
  const form = token?.end === text.length ? numberForm(token.raw) : undefined;
  return form?.kind === 'one' ? form.value : undefined;
}

/** A power of ten behind a number. */
interface Power {
  readonly exponent: number;
  readonly end: number;
  /** Whether the number is a factor of the power, as in `1.5×10³`, and not its base. */
  readonly hasFactor: boolean;
}

const EXPONENT =
  /^(?:\^(?<plain>[-+]?\d{1,2})(?!\d)|(?<raised>[\u207A\u207B]?[\u00B2\u00B3\u00B9\u2070\u2074-\u2079]{1,2})(?![\u00B2\u00B3\u00B9\u2070-\u207B]))/;
const FACTOR = /^ ?[×✕x·⋅∙*] ?10(?=[\^\u00B2\u00B3\u00B9\u2070-\u207B])/;

/** Finds the power of ten behind a number: `10³`, `2·10⁻⁴`, `2x10^3`. */
export function powerAt(text: string, { raw, end }: NumberToken): Power | undefined {
  const factor = FACTOR.exec(text.slice(end, end + 6))?.[0];
  if (factor === undefined && !/^[+-]?10$/.test(raw)) return undefined;
  const at = end + (factor?.length ?? 0);
  const match = EXPONENT.exec(text.slice(at, at + 5));
  if (match === null) return undefined;
  const { plain, raised = '' } = match.groups ?? {};
  const exponent = Number(plain ?? raised.normalize('NFKC').replace('\u2212', '-'));
  return { exponent, end: at + match[0].length, hasFactor: factor !== undefined };
}

/** Returns a number times a power of ten, or that power of its base 10. */
export function scaled(form: NumberForm, { exponent, hasFactor }: Power): NumberForm {
  const times = (value: number): number => {
    const factor = hasFactor ? value : Math.sign(value);
    // The product has a rounding error in the last digit.
    return Number((factor * 10 ** exponent).toPrecision(15));
  };
  return form.kind === 'one'
    ? { ...form, value: times(form.value) }
    : { ...form, decimal: times(form.decimal), thousands: times(form.thousands) };
}

/** Adds the decimal marks that the numbers of a text can only have. */
export function addMarks(text: string, marks: Set<DecimalMark>): void {
  for (let at = 0; at < text.length;) {
    const token = isDigit(text, at) ? scanNumber(text, at) : undefined;
    if (token === undefined) {
      at += 1;
      continue;
    }
    const form = numberForm(token.raw);
    if (form?.kind === 'one' && form.mark !== undefined) marks.add(form.mark);
    at = token.end;
  }
}
