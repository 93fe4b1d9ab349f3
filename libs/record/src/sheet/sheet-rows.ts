import type { References } from '../reference/reference.ts';
import { scanNumber } from './number-text.ts';
import { plainCell, type TableCell } from './parse-cell.ts';
import { headingKey, isSubstance, type UnitBelow, unitOf } from './read-heading.ts';
import { isBlank, type TableRow } from './sheet-grid.ts';

const STATISTICS: ReadonlySet<string> = new Set([
  ...'mean,average,avg,sd,std,std dev,stdev,standard deviation,min,max,total,sum,median'.split(','),
  ...'mittelwert,durchschnitt,mittel,standardabweichung,stabw,summe,anzahl,moyenne,écart type,somme'.split(','),
  ...'media,promedio,desviación,desviación estándar,suma,平均,平均值,标准差,总和'.split(','),
]);

/** The labels of rows, which are those of Origin. */
const LABELS: ReadonlyMap<string, 'headings' | 'units' | 'text'> = new Map([
  ['long name', 'headings'] as const,
  ...['unit', 'units', 'einheit', 'einheiten', '单位'].map((label) => [label, 'units'] as const),
  ...['comments', 'sparklines', 'f(x)='].map((label) => [label, 'text'] as const),
]);

type LeftOutReason = 'hidden' | 'repeated-heading' | 'units' | 'example' | 'statistic' | 'text';

/** A text that begins with a number, possibly after signs such as `~`. */
export const NUMBER_START = /^[^\p{L}]*\d/u;

/** Returns whether a cell begins with a number or names a substance, as in data and unlike in a title. */
export function isValue(cell: TableCell | undefined, references: References): boolean {
  const text = plainText(cell);
  return NUMBER_START.test(text) || (text !== '' && isSubstance(text, references));
}

/** Returns the text of a cell with normal spaces; an unreadable cell is empty. */
export function plainText(cell: TableCell | undefined): string {
  const plain = plainCell(cell ?? '');
  return typeof plain === 'object' ? '' : String(plain).replace(/\s+/g, ' ').trim();
}

export function filledCells({ cells }: TableRow): (readonly [column: number, cell: TableCell])[] {
  return [...cells].filter(([, cell]) => !isBlank(cell)).sort(([a], [b]) => a - b);
}

/** Returns what a row has, by its first cell; undefined without a label. */
export function labelOf(row: TableRow): 'headings' | 'units' | 'text' | undefined {
  return LABELS.get(headingKey(plainText(filledCells(row)[0]?.[1])));
}

/** Returns the statistic that a text names, if it does. */
export function isStatistic(text: string): boolean {
  const key = headingKey(text);
  // `Average ± SD`
  return (
    key.split(/ ?[±/&;] ?/).every((word, at) => STATISTICS.has(word) || (word === '' && at > 0)) || /^n ?=/.test(key)
  );
}

const DITTO = /^(?:["\u201C-\u201F\u2033〃]|''|dt?o\.|ditto|同上)$/i;

/** Returns whether a text stands for the value above, such as `"` and `ditto`. */
export const isDitto = (text: string): boolean => DITTO.test(text);

const HYPHEN = /^[[(]?[-–—][\])]?$/;

/** Returns the unit in a cell of a unit row; its text if it is not in the unit list, and undefined if the cell has none. */
export function unitInRow(row: TableRow, column: number, references: References): UnitBelow {
  const text = plainText(row.cells.get(column));
  if (text === '' || HYPHEN.test(text) || LABELS.has(headingKey(text))) return undefined;
  return unitOf(references, text) ?? text;
}

/** Returns whether a text has the form of a unit, such as `[foo]`, `drops/min`, or `°X`. */
function looksLikeUnit(text: string, references: References): boolean {
  if (/^(?:\[.*\]|\(.*\))$|^[%‰°µμ]/.test(text)) return true;
  return text.split('/').some((part, at) => at > 0 && unitOf(references, part) !== undefined);
}

/**
 * Returns whether at least half of the filled cells are units or look like units, and none is a number or names a
 * substance. A row of hyphens is no unit row.
 */
export function isUnitRow(row: TableRow, references: References): boolean {
  let units = 0;
  let hyphens = 0;
  let filled = 0;
  for (const cell of row.cells.values()) {
    if (isBlank(cell)) continue;
    const plain = plainCell(cell);
    if (typeof plain === 'number' || typeof plain === 'object') return false;
    const text = plainText(cell);
    if (scanNumber(text, 0)?.end === text.length) return false;
    filled += 1;
    if (HYPHEN.test(text) || isDitto(text)) hyphens += 1;
    else if (unitOf(references, text) !== undefined) units += 1;
    else if (isSubstance(text, references)) return false;
    else if (looksLikeUnit(text, references)) units += 1;
  }
  return (units > 0 && 2 * (units + hyphens) >= filled) || (filled > 1 && labelOf(row) === 'units');
}

/** Returns why a row below the headings is no experiment; undefined for an experiment. */
export function leftOutReason(
  row: TableRow,
  headings: ReadonlyMap<number, string>,
  isRead: (column: number) => boolean,
  references: References,
): LeftOutReason | undefined {
  if (row.isHidden === true) return 'hidden';
  const filled = filledCells(row);
  const [first] = filled;
  if (first === undefined) return undefined;
  const isRepeated = filled.every(([column, cell]) => headingKey(plainText(cell)) === headings.get(column));
  if (isRepeated && filled.length >= 2) return 'repeated-heading';
  if (isUnitRow(row, references)) return 'units';
  const [column, cell] = first;
  const text = headingKey(plainText(cell));
  if (text.startsWith('example')) return 'example';
  if (isStatistic(text)) return 'statistic';
  if (LABELS.has(text)) return 'text';
  if (filled.length > 1) return undefined;
  return column === Math.min(...headings.keys()) || !isRead(column) ? 'text' : undefined;
}
