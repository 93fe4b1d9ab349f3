import type { Cell } from '../flatten/flatten.ts';
import { describe, shorten } from '../validate/problems.ts';

/** A cell without a usable value: a date, an error, a formula without a result. */
export interface UnreadableCell {
  readonly kind: 'date' | 'other';
  /** The problem and its correction, as the end of a message. */
  readonly unreadable: string;
}

/** A cell without formatting that carries meaning. */
export type PlainCell = string | number | boolean | UnreadableCell;

/** A cell with a number format, a struck number, or a comment. */
export interface FormattedCell {
  readonly kind: 'formatted';
  /** The stored value; a number with a unit in its format is the text of both, such as `45 %`. */
  readonly value: PlainCell;
  /** The text that the cell shows; present if the stored value is a number, whose decimal mark is a point. */
  readonly shown?: string | undefined;
  readonly format?: 'percent-format' | 'format-unit' | 'format-scaled' | undefined;
  readonly comment?: string | undefined;
}

export type TableCell = PlainCell | FormattedCell;

export function isFormatted(cell: TableCell): cell is FormattedCell {
  return typeof cell === 'object' && cell.kind === 'formatted';
}

/** Returns a cell without its formatting. */
export function plainCell(cell: TableCell): PlainCell {
  return isFormatted(cell) ? cell.value : cell;
}

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
