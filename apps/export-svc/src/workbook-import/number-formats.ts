import type { FormattedCell } from '@esd/record/sheet/parse-cell';
import { unreadableFile } from './unreadable-file.ts';

/** The maximum that Excel writes. It reports a workbook with a longer format code as damaged. */
const MAX_CODE_LENGTH = 255;

// The built-in formats of ECMA-376 part 1, 18.8.30.
const BUILT_IN_DATES: readonly (readonly [from: number, to: number])[] = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
];
const BUILT_IN_PERCENT: ReadonlyMap<number, string> = new Map([
  [9, '0%'],
  [10, '0.00%'],
]);

const DATE_LETTERS = 'ymdhs';
const ELAPSED_TIME = /^(?:h+|m+|s+)$/i;

/** A number format: dates, numbers as stored, or the sections of a code that can show something else. */
export type NumberFormat = 'date' | 'number' | readonly Section[];

/** The part of a format code for the numbers of one sign, or of one condition. */
interface Section {
  readonly condition?: (number: number) => boolean;
  /** The literal texts around the digits. */
  readonly before: string;
  readonly after: string;
  /** The digits, with the literal texts between them. */
  readonly digits: string;
  /** Whether a literal text is between the digits, or adds digits. */
  readonly changesDigits: boolean;
  /** Undefined if the number of decimals depends on the number. */
  readonly decimals?: readonly [least: number, most: number];
  readonly isGrouped: boolean;
  /** The power of ten by which the number is multiplied before it is shown. */
  readonly scale: number;
}

export function formatOfId(id: number): NumberFormat {
  const percent = BUILT_IN_PERCENT.get(id);
  if (percent !== undefined) return formatOfCode(percent);
  return BUILT_IN_DATES.some(([from, to]) => id >= from && id <= to) ? 'date' : 'number';
}

/** Parses a custom format code, in one pass. Throws INVALID_REQUEST beyond 255 characters. */
export function formatOfCode(code: string): NumberFormat {
  if (code.length > MAX_CODE_LENGTH) {
    throw unreadableFile(`it has a number format of ${code.length} characters; the limit is ${MAX_CODE_LENGTH}.`);
  }
  const sections: Token[][] = [[]];
  for (const token of tokensOf(code)) {
    if (isDate(token)) return 'date';
    if (token.kind === 'code' && token.text === ';') sections.push([]);
    else sections.at(-1)?.push(token);
  }
  if (code === '') return 'number';
  const parsed = sections.map(sectionOf);
  return parsed.length === 1 && parsed.every(isPlain) ? 'number' : parsed;
}

interface Token {
  readonly kind: 'literal' | 'bracket' | 'code';
  readonly text: string;
}

function tokensOf(code: string): Token[] {
  const lastBracket = code.lastIndexOf(']');
  const tokens: Token[] = [];
  for (let at = 0; at < code.length; at++) {
    const character = code.charAt(at);
    const add = (kind: Token['kind'], text: string): void => void tokens.push({ kind, text });
    if (character === '"') {
      const closing = code.indexOf('"', at + 1);
      const end = closing < 0 ? code.length : closing;
      add('literal', code.slice(at + 1, end));
      at = end;
    } else if (character === '[' && at < lastBracket) {
      const end = code.indexOf(']', at);
      add('bracket', code.slice(at + 1, end));
      at = end;
    } else if (character === '\\' || character === '_' || character === '*') {
      at += 1;
      // The others add space.
      add('literal', character === '\\' ? code.charAt(at) : ' ');
    } else if (GENERAL.test(code.slice(at, at + 7))) {
      add('code', '0E');
      at += 6;
    } else add('code', character);
  }
  return tokens;
}

function isDate({ kind, text }: Token): boolean {
  if (kind === 'bracket') return ELAPSED_TIME.test(text);
  return kind === 'code' && DATE_LETTERS.includes(text.toLowerCase());
}

const isPlain = ({ before, after, digits, changesDigits, scale }: Section): boolean =>
  digits !== '' && !changesDigits && scale === 0 && `${before}${after}`.trim() === '';

/** The format of a number without a format, which becomes a digit with any number of decimals. */
const GENERAL = /^general$/i;
const CONDITION = /^(?<sign><=|>=|<>|<|>|=)(?<limit>-?\d{1,15}(?:\.\d{1,15})?)$/;

function conditionOf(text: string): Section['condition'] {
  const { sign, limit } = CONDITION.exec(text)?.groups ?? {};
  if (sign === undefined) return undefined;
  const other = Number(limit);
  return (number) => (number === other ? sign.includes('=') : sign.includes(number < other ? '<' : '>'));
}

function sectionOf(tokens: readonly Token[]): Section {
  let condition: Section['condition'];
  let before = '';
  let after = '';
  let digits = '';
  let changesDigits = false;
  let commas = 0;
  let isGrouped = false;
  let scale = 0;
  for (const [at, { kind, text }] of tokens.entries()) {
    const next = tokens[at + 1]?.text ?? '';
    const isDigit = kind === 'code' && /[0#?@]/.test(text);
    const isExponent =
      kind === 'code' && (/e$/i.test(digits) ? /[-+]/.test(text) : /e/i.test(text) && /[-+]/.test(next));
    if (kind === 'bracket') condition ??= conditionOf(text);
    if (isDigit) {
      changesDigits ||= after.trim() !== '';
      isGrouped ||= commas > 0;
      commas = 0;
      digits += after + text;
      after = '';
    } else if (kind === 'code' && (text === '.' || (text === '/' && /[\d?#]/.test(next)))) digits += text;
    else if (kind === 'code' && text === ',' && digits !== '') commas += 1;
    else if (isExponent && digits !== '') digits += text;
    else {
      if (text === '%' && kind === 'code') scale += 2;
      const literal = kind === 'bracket' ? (/^\$(?<symbol>[^-]*)/.exec(text)?.groups?.['symbol'] ?? '') : text;
      if (digits === '') before += literal;
      else after += literal;
    }
  }
  const decimals = /^[0#? ]*(?:\.(?<decimals>[0#? ]*))?$/.exec(digits)?.groups;
  const places = (decimals?.['decimals'] ?? '').replaceAll(' ', '');
  return {
    ...(condition && { condition }),
    before,
    after,
    digits,
    changesDigits: changesDigits || /[\d.,]$/.test(before) || /^[\d.,]/.test(after),
    ...(decimals && { decimals: [places.lastIndexOf('0') + 1, places.length] }),
    isGrouped,
    scale: scale - 3 * commas,
  };
}

/** Returns a number as its format shows it. Ignores how a format shows signs and groups of digits. */
export function formattedNumber(number: number, sections: readonly Section[]): number | FormattedCell {
  const section = sectionFor(number, sections);
  const hasSign = number < 0 && (sections.length === 1 || section?.condition !== undefined);
  if (section === undefined || (isPlain(section) && (number >= 0 || hasSign))) return number;
  // The product has a rounding error in the 16th digit: 0.29 × 100.
  const scaled = Number((number * 10 ** section.scale).toPrecision(15));
  const { before, after } = section;
  const shown = `${hasSign ? '-' : ''}${before}${digitsOf(Math.abs(scaled), section)}${after}`.trim();
  const [prefix, suffix] = unitAround(section);
  const isWhole = section.digits !== '' && !section.changesDigits;
  if (!isWhole || (prefix === '' && suffix === '')) {
    const showsSign = number >= 0 || /[-(\u2212]/.test(shown);
    if (isWhole && section.scale === 0 && showsSign) return number;
    return { kind: 'formatted', value: number, shown, format: 'format-scaled' };
  }
  const format = section.scale > 0 ? 'percent-format' : 'format-unit';
  return { kind: 'formatted', value: `${prefix}${scaled} ${suffix}`.trim(), shown, format };
}

function sectionFor(number: number, sections: readonly Section[]): Section | undefined {
  const [first, second, third = first] = sections;
  if (first?.condition !== undefined || second?.condition !== undefined) {
    return sections.slice(0, 3).find(({ condition }) => condition === undefined || condition(number));
  }
  if (number === 0) return third;
  return number < 0 ? (second ?? first) : first;
}

/** Returns the literal texts without spaces, signs, the brackets of negative numbers, and words of a scaled number. */
function unitAround({ before, after, scale }: Section): [prefix: string, suffix: string] {
  const suffix = (before.includes('(') ? after.replace(')', '') : after).trim();
  const isNoUnit = suffix === '-' || (scale < 0 && /^(?:[kKM]|mil|Tsd\.?|Mio\.?)$/.test(suffix));
  return [before.replace(/^[\s(+\u2212-]+/, '').trim(), isNoUnit ? '' : suffix];
}

const MAX_DECIMALS = 30;

function digitsOf(number: number, { digits: pattern, changesDigits, decimals, isGrouped }: Section): string {
  if (pattern === '') return '';
  if (decimals === undefined && changesDigits) {
    const figures = [...number.toFixed(0)];
    const places = [...pattern].reverse().map((place) => (/[0#?@]/.test(place) ? (figures.pop() ?? '') : place));
    return figures.join('') + places.reverse().join('');
  }
  if (decimals === undefined) return String(number);
  const [least, most] = decimals;
  const [whole = '', fraction = ''] = number.toFixed(Math.min(most, MAX_DECIMALS)).split('.');
  const digits = fraction.slice(0, least) + fraction.slice(least).replace(/0+$/, '');
  const grouped = isGrouped ? whole.replace(/\B(?=(?:\d{3})+$)/g, ',') : whole;
  return digits === '' ? grouped : `${grouped}.${digits}`;
}
