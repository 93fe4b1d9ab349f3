import { type References, resolveName } from '../reference/reference.ts';
import { scanNumber } from './number-text.ts';
import type { TableCell } from './parse-cell.ts';
import { headingKey, unitOf } from './read-heading.ts';
import { isBlank, type TableRow } from './sheet-grid.ts';

const STATISTICS: ReadonlySet<string> = new Set([
  'mean',
  'average',
  'avg',
  'sd',
  'std',
  'std dev',
  'stdev',
  'standard deviation',
  'min',
  'max',
  'total',
  'sum',
  'median',
]);

const LISTS = ['polymers', 'solvents'] as const;

export type LeftOutReason = 'repeated-heading' | 'units' | 'example' | 'statistic' | 'text';

/** A text that begins with a number, possibly after signs such as `~`. */
export const NUMBER_START = /^[^\p{L}]*\d/u;

/** Returns whether a cell begins with a number or names a substance, as in data and unlike in a title. */
export function isValue(cell: TableCell | undefined, references: References): boolean {
  const text = plainText(cell);
  return NUMBER_START.test(text) || (text !== '' && isSubstance(text, references));
}

function isSubstance(text: string, references: References): boolean {
  return LISTS.some((list) => resolveName(references, list, text).kind === 'found');
}

/** Returns the text of a cell with normal spaces; an unreadable cell is empty. */
export function plainText(cell: TableCell | undefined): string {
  return cell === undefined || typeof cell === 'object' ? '' : String(cell).replace(/\s+/g, ' ').trim();
}

export function filledCells({ cells }: TableRow): (readonly [column: number, cell: TableCell])[] {
  return [...cells].filter(([, cell]) => !isBlank(cell)).sort(([a], [b]) => a - b);
}

/**
 * Returns whether at least half of the filled cells are units, and none is a number or names a substance. A row of
 * hyphens is no unit row.
 */
export function isUnitRow(row: TableRow, references: References): boolean {
  let units = 0;
  let hyphens = 0;
  let filled = 0;
  for (const cell of row.cells.values()) {
    if (isBlank(cell)) continue;
    if (typeof cell === 'number' || typeof cell === 'object') return false;
    const text = plainText(cell);
    if (scanNumber(text, 0)?.end === text.length) return false;
    filled += 1;
    if (/^[[(]?[-–—][\])]?$/.test(text)) hyphens += 1;
    else if (unitOf(references, text) !== undefined) units += 1;
    else if (isSubstance(text, references)) return false;
  }
  return units > 0 && 2 * (units + hyphens) >= filled;
}

/** Returns why a row below the headings is no experiment; undefined for an experiment. */
export function leftOutReason(
  row: TableRow,
  headings: ReadonlyMap<number, string>,
  isRead: (column: number) => boolean,
  references: References,
): LeftOutReason | undefined {
  const filled = filledCells(row);
  const [first] = filled;
  if (first === undefined) return undefined;
  const isRepeated = filled.every(([column, cell]) => headingKey(plainText(cell)) === headings.get(column));
  if (isRepeated && filled.length >= 2) return 'repeated-heading';
  if (isUnitRow(row, references)) return 'units';
  const [column, cell] = first;
  const text = headingKey(plainText(cell));
  if (text.startsWith('example')) return 'example';
  if (STATISTICS.has(text.replace(/[,;]$/, '')) || /^n ?=/.test(text)) return 'statistic';
  if (filled.length > 1) return undefined;
  return column === Math.min(...headings.keys()) || !isRead(column) ? 'text' : undefined;
}
