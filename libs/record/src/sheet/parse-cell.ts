import type { Cell } from '../flatten/flatten.ts';
import { describe, shorten } from '../validate/problems.ts';

/** A cell without a usable value: a date, an error, a formula without a result. */
export interface UnreadableCell {
  readonly kind: 'date' | 'other';
  /** The problem and its correction, as the end of a message. */
  readonly unreadable: string;
}

export type TableCell = string | number | boolean | UnreadableCell;

const NUMBER_AND_UNIT = /^(?<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)\s*(?<unit>[\p{L}%°‰].*)?$/iu;
const WITH_COMMA = /^[+-]?[\d.\s']*\d,\d/;

/** Reads a number, optionally with a unit, as in `15 kV`. A problem is the end of a message. */
export function parseNumber(cell: Cell): { number: number; unit?: string } | { problem: string } {
  if (typeof cell === 'number') return { number: cell };
  const text = String(cell).trim();
  if (WITH_COMMA.test(text)) {
    const point = shorten(text.replace(',', '.'));
    return {
      problem: `The number ${describe(cell)} has a comma; write decimals with a point, as in ${point}, without thousands separators.`,
    };
  }
  const { number, unit } = NUMBER_AND_UNIT.exec(text)?.groups ?? {};
  if (typeof cell === 'boolean' || number === undefined) {
    return { problem: `Expected one number, such as 15 or 1.5e3, got ${describe(cell)}.` };
  }
  return { number: Number(number), ...(unit === undefined ? {} : { unit: unit.trim() }) };
}

/** Converts labels separated by `;` to a JSON list; returns JSON unchanged. */
export function labelsJson(text: string): string {
  if (/^\s*[[{]/.test(text)) return text;
  const labels = text.split(';').map((label) => label.trim());
  return JSON.stringify(labels.filter((label) => label !== ''));
}

export function parseFlag(cell: Cell): boolean | undefined {
  switch (String(cell).trim().toLowerCase()) {
    case 'true':
    case 'yes':
      return true;
    case 'false':
    case 'no':
      return false;
    default:
      return undefined;
  }
}
