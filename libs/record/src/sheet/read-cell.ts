import type { Cell } from '../flatten/flatten.ts';
import { memberOfColumn } from '../flatten/flatten.ts';
import type { References, UnitEntry } from '../reference/reference.ts';
import { withUnit } from '../units/units.ts';
import { describe } from '../validate/problems.ts';
import { MAX_RECORD_BYTES } from '../submission-size.ts';
import { columnDimensions, MOLECULAR_WEIGHT } from './column-dimensions.ts';
import { parseFlag, type PlainCell, type TableCell } from './parse-cell.ts';
import { readFormatted, readUnmarked } from './read-formatted-cell.ts';
import { headingKey } from './read-heading.ts';
import { labelsIn } from './read-names-cell.ts';
import { cleanText } from './number-text.ts';
import { ABSENT, type CellReading, readNumberText, SPREAD_UNIT } from './read-number-cell.ts';
import { readMolecularWeight } from './read-molecular-weight.ts';
import { readNeedleText } from './read-needle.ts';
import type { DecimalMark } from './sheet-reading.ts';

/** A column of a sheet that is read into a flattened column. */
export interface CellColumn {
  readonly at: number;
  readonly column: string;
  readonly heading: string;
  /** The unit of the heading or the unit row. */
  readonly unit: UnitEntry | undefined;
}

const SPREAD = 'fiber_diameter_variation';
const SPREAD_OF = 'fiber_diameter';

const EMPTY_WORDS: ReadonlySet<string> = new Set([
  'n.a.',
  'n.a',
  'n/a',
  'na',
  'nd',
  'n.d.',
  'n.d',
  '-',
  '–',
  '—',
  '?',
  'none',
  'unknown',
  'not reported',
  'not measured',
  'not recorded',
  'not determined',
  'n.m.',
  'tbd',
  '/',
  '--',
  '…',
  '...',
  'k.a.',
  'k. a.',
  'keine angabe',
  '未测',
  '无',
]);

export function isEmptyWord(text: string): boolean {
  return text.length <= 20 && EMPTY_WORDS.has(text.toLowerCase());
}

/** Returns the error of a cell that cannot be read as text. */
export function unreadableError(cell: PlainCell): Extract<CellReading, { kind: 'error' }> | undefined {
  if (typeof cell === 'object') {
    const date = 'The spreadsheet converted this value to a date. Format the column as text.';
    return { kind: 'error', code: 'WRONG_TYPE', message: cell.kind === 'date' ? date : cell.unreadable };
  }
  if (typeof cell !== 'string' || cell.length <= MAX_RECORD_BYTES) return undefined;
  const message = `A record must have at most ${MAX_RECORD_BYTES} bytes; this cell alone has ${cell.length}.`;
  return { kind: 'error', code: 'TOO_LONG', message };
}

export type ColumnKind = 'number' | 'flag' | 'labels' | 'names' | 'shares' | 'other';

export function columnKind(column: string): ColumnKind {
  if (column === 'polymer(s)' || column === 'solvent(s)') return 'names';
  if (column === 'polymer_components' || column === 'solvent_components') return 'shares';
  if (column === MOLECULAR_WEIGHT) return 'number';
  const kind = memberOfColumn(column)?.kind;
  if (kind === 'quantity' || kind === 'number' || kind === 'object') return 'number';
  if (kind === 'boolean') return 'flag';
  return kind === 'labels' ? 'labels' : 'other';
}

const value = (read: Cell, reads: string): CellReading => ({ kind: 'value', value: read, reads, notes: [] });

/** Returns a reader of the cells of a column, except names and shares, for the decimal mark of the sheet. */
export function cellReader(
  column: CellColumn,
  mark: DecimalMark | undefined,
  references: References,
  unitOf: (text: string) => UnitEntry | undefined,
): (cell: TableCell) => CellReading {
  const kind = columnKind(column.column);
  const finish = finisher(column, unitOf);
  const context = {
    mark,
    hasSpread: column.column === SPREAD_OF,
    spreadUnit: column.unit?.unit ?? SPREAD_UNIT,
    unitOf,
    finish,
  };
  const readPlain = (cell: PlainCell, isStored: boolean): CellReading => {
    const unreadable = unreadableError(cell);
    if (unreadable !== undefined || typeof cell === 'object') return unreadable ?? ABSENT;
    const written = typeof cell === 'string' ? cell : String(cell);
    const text = cleanText(written);
    if (isEmptyWord(text)) return { ...ABSENT, notes: ['empty-word'] };
    switch (kind) {
      case 'number':
        if (column.column === MOLECULAR_WEIGHT)
          return readMolecularWeight(text, { mark: isStored ? '.' : mark, unitOf, unit: column.unit }, true);
        if (typeof cell === 'number') return finish(cell, undefined);
        if (text.startsWith('{')) return value(written, text);
        return (
          (column.column === 'needle_definition' ? readNeedleText(text, unitOf) : undefined) ??
          readNumberText(text, isStored ? { ...context, mark: '.' } : context)
        );
      case 'flag':
        return readUnmarked(text, readFlag);
      case 'labels': {
        const field = memberOfColumn(column.column)?.field;
        if (field?.kind !== 'labels' || text.startsWith('[')) return value(written, text);
        const { list } = field;
        return readUnmarked(text, (unmarked) => {
          const labels = labelsIn(unmarked, list, references);
          return value(JSON.stringify(labels), labels.join('; '));
        });
      }
      default:
        return value(typeof cell === 'string' ? cell.trim() : cell, text);
    }
  };
  return (cell) => readFormatted(cell, kind !== 'number', readPlain);
}

/** Returns the unit of a heading that is a kind of percentage, such as wt%; it is that of a percentage in a cell. */
function percentageUnit(unit: UnitEntry | undefined): string | undefined {
  return unit !== undefined && [unit.unit, ...unit.aliases].some((name) => name.endsWith('%')) ? unit.unit : undefined;
}

type Finish = (value: number, unit: string | undefined) => CellReading;

/** Returns the function that converts a number, with the unit of its cell, to the value of the column. */
function finisher(
  { column, unit: headingUnit, heading }: CellColumn,
  unitOf: (text: string) => UnitEntry | undefined,
): Finish {
  const isGauge = /\bgauge\b/.test(headingKey(heading));
  const checked = (make: (number: number, unit: string | undefined) => CellReading): Finish => {
    const dimensions = columnDimensions(column) ?? [];
    return (number, cellUnit) => {
      const unit = cellUnit ?? headingUnit?.unit;
      const entry = unit === undefined ? undefined : unitOf(unit);
      if (entry === undefined || dimensions.includes(entry.dimension)) return make(number, unit);
      return {
        kind: 'error',
        code: 'UNIT_NOT_APPLICABLE',
        message: `The unit ${describe(unit)} (${entry.name}, ${entry.dimension}) does not fit this column.`,
      };
    };
  };
  switch (column) {
    case 'needle_definition':
      return checked((size, unit) => readNeedle(size, unit, isGauge));
    case 'collector_definition':
      return checked((rotationSpeed, unit) => {
        const speed = { rotationSpeed, ...(unit === undefined ? {} : { rotationSpeedUnit: unit }) };
        return value(JSON.stringify(speed), withUnit(rotationSpeed, unit ?? ''));
      });
    default: {
      const isQuantity = memberOfColumn(column)?.kind === 'quantity';
      const fitting = isQuantity ? headingUnit?.unit : undefined;
      return (number, cellUnit) => {
        const unit = (cellUnit === '%' ? percentageUnit(headingUnit) : undefined) ?? cellUnit ?? fitting;
        if (unit === '%' && !isQuantity) {
          return { kind: 'error', code: 'UNIT_NOT_APPLICABLE', message: 'A percentage does not fit this column.' };
        }
        return value(unit === undefined ? number : `${number} ${unit}`, withUnit(number, unit ?? ''));
      };
    }
  }
}

function readNeedle(size: number, unit: string | undefined, isGauge: boolean): CellReading {
  const needle = (as: string): CellReading => value(JSON.stringify({ size, unit: as }), withUnit(size, as));
  if (unit !== undefined) return needle(unit);
  const canBeGauge = Number.isInteger(size) && size >= 7 && size <= 34;
  if (canBeGauge && isGauge) return needle('G');
  const mm = { choice: 'mm', reads: withUnit(size, 'mm'), result: needle('mm') };
  return canBeGauge
    ? {
        kind: 'several',
        repair: 'needle',
        choices: [{ choice: 'gauge', reads: withUnit(size, 'G'), result: needle('G') }, mm],
      }
    : { kind: 'several', repair: 'needle-mm', choices: [mm, { choice: 'empty', reads: '', result: ABSENT }] };
}

const YES: ReadonlySet<string> = new Set(['y', '1', 'ja', '✓', '✔', 'stable']);
const NO: ReadonlySet<string> = new Set(['n', '0', 'nein', 'unstable', 'not stable']);

function readFlag(text: string): CellReading {
  const word = text.toLowerCase();
  const flag = parseFlag(word);
  if (flag !== undefined) return value(flag, flag ? 'yes' : 'no');
  if (YES.has(word) || NO.has(word)) {
    return { kind: 'value', value: YES.has(word), reads: YES.has(word) ? 'yes' : 'no', notes: ['flag-word'] };
  }
  if (!['x', '+', 'o'].includes(word)) {
    return { kind: 'error', code: 'WRONG_TYPE', message: `Expected yes or no, got ${describe(text)}.` };
  }
  return {
    kind: 'several',
    repair: 'flag',
    choices: [
      { choice: 'yes', reads: 'yes', result: value(true, 'yes') },
      { choice: 'no', reads: 'no', result: value(false, 'no') },
      { choice: 'empty', reads: '', result: ABSENT },
    ],
  };
}

export { SPREAD, SPREAD_OF, SPREAD_UNIT };
