import { memberOfColumn, summaries } from '../flatten/flatten.ts';
import type { References, UnitEntry } from '../reference/reference.ts';
import { withUnit } from '../units/units.ts';
import { describe } from '../validate/problems.ts';
import { type CellReading, choiceOf, EMPTY_CHOICE, failed, readAs, several } from './cell-reading.ts';
import { columnDimensions, MOLECULAR_WEIGHT } from './column-dimensions.ts';
import { parseFlag, type TableCell } from './parse-cell.ts';
import { readFormatted, readUnmarked } from './read-formatted-cell.ts';
import { headingKey } from './read-heading.ts';
import { readNumberText, SPREAD_UNIT } from './read-number-cell.ts';
import { readMolecularWeight } from './read-molecular-weight.ts';
import { needleReading, readNeedleText } from './read-needle.ts';
import type { DecimalMark } from './sheet-reading.ts';
import { labelsIn } from '../reference/split-joined-names.ts';

/** A column of a sheet that is read into a flattened column. */
export interface CellColumn {
  readonly at: number;
  readonly column: string;
  readonly heading: string;
  /** The unit of the heading or the unit row. */
  readonly unit: UnitEntry | undefined;
}

export const SPREAD = 'fiber_diameter_variation';
export const SPREAD_OF = 'fiber_diameter';
const NEEDLE = 'needle_definition';

/** Returns whether a column has the names, shares, or molecular weights of components. */
export function isOfComponents(column: string): boolean {
  return (
    column === MOLECULAR_WEIGHT || summaries.some(({ names, components }) => column === names || column === components)
  );
}

/** Returns whether the texts of a column are read as numbers. */
export function hasNumbers(column: string): boolean {
  const kind = memberOfColumn(column)?.kind;
  return column === MOLECULAR_WEIGHT || kind === 'quantity' || kind === 'number' || kind === 'object';
}

/** Returns a reader of the cells of a column, except names and shares, for the decimal mark of the sheet. */
export function cellReader(
  { column, unit, heading }: CellColumn,
  mark: DecimalMark | undefined,
  references: References,
  unitOf: (text: string) => UnitEntry | undefined,
): (cell: TableCell) => CellReading {
  const isGauge = /\bgauge\b/.test(headingKey(heading));
  const finish = finisher(column, unit, unitOf, isGauge);
  const spread = column === SPREAD_OF ? { spreadUnit: unit?.unit ?? SPREAD_UNIT } : {};
  const field = memberOfColumn(column)?.field;
  const isNumber = hasNumbers(column);
  return (formatted) =>
    readFormatted(formatted, !isNumber, ({ text, cell, isStored }) => {
      const context = { mark: isStored ? '.' : mark, unitOf } as const;
      if (column === MOLECULAR_WEIGHT) return readMolecularWeight(text, { ...context, unit }, true);
      if (isNumber) {
        if (typeof cell === 'number') return finish(cell, undefined);
        if (text.startsWith('{')) return readAs(String(cell), text);
        const needle = column === NEEDLE ? readNeedleText(text, unitOf) : undefined;
        return needle ?? readNumberText(text, { ...context, ...spread, finish });
      }
      if (field?.kind === 'boolean') return readUnmarked(text, readFlag);
      if (field?.kind !== 'labels') return readAs(typeof cell === 'string' ? cell.trim() : cell, text);
      if (text.startsWith('[')) return readAs(String(cell), text);
      return readUnmarked(text, (unmarked) => {
        const labels = labelsIn(unmarked, field.list, references);
        return readAs(JSON.stringify(labels), labels.join('; '));
      });
    });
}

/** Returns the unit of a heading that is a kind of percentage, such as wt%; it is that of a percentage in a cell. */
function percentageUnit(unit: UnitEntry | undefined): string | undefined {
  return unit !== undefined && [unit.unit, ...unit.aliases].some((name) => name.endsWith('%')) ? unit.unit : undefined;
}

/** Returns the function that converts a number, with the unit of its cell, to the value of the column. */
function finisher(
  column: string,
  headingUnit: UnitEntry | undefined,
  unitOf: (text: string) => UnitEntry | undefined,
  isGauge: boolean,
): (value: number, unit: string | undefined) => CellReading {
  const kind = memberOfColumn(column)?.kind;
  if (kind === 'object') {
    const dimensions = columnDimensions(column) ?? [];
    return (number, cellUnit) => {
      const unit = cellUnit ?? headingUnit?.unit;
      const entry = unit === undefined ? undefined : unitOf(unit);
      if (entry !== undefined && !dimensions.includes(entry.dimension)) {
        const message = `The unit ${describe(unit)} (${entry.name}, ${entry.dimension}) does not fit this column.`;
        return failed('UNIT_NOT_APPLICABLE', message);
      }
      if (column === NEEDLE) return needleReading(number, unit, isGauge);
      const speed = { rotationSpeed: number, rotationSpeedUnit: unit };
      return readAs(JSON.stringify(speed), withUnit(number, unit ?? ''));
    };
  }
  const isQuantity = kind === 'quantity';
  return (number, cellUnit) => {
    const fitting = isQuantity ? headingUnit?.unit : undefined;
    const unit = (cellUnit === '%' ? percentageUnit(headingUnit) : undefined) ?? cellUnit ?? fitting;
    if (unit === '%' && !isQuantity) return failed('UNIT_NOT_APPLICABLE', 'A percentage does not fit this column.');
    return readAs(unit === undefined ? number : `${number} ${unit}`, withUnit(number, unit ?? ''));
  };
}

const YES: ReadonlySet<string> = new Set(['y', '1', 'ja', '✓', '✔', 'stable']);
const NO: ReadonlySet<string> = new Set(['n', '0', 'nein', 'unstable', 'not stable']);

function readFlag(text: string): CellReading {
  const word = text.toLowerCase();
  const as = (flag: boolean) => readAs(flag, flag ? 'yes' : 'no');
  const flag = parseFlag(word);
  if (flag !== undefined) return as(flag);
  if (YES.has(word) || NO.has(word)) return { ...as(YES.has(word)), notes: ['flag-word'] };
  if (!['x', '+', 'o'].includes(word)) return failed('WRONG_TYPE', `Expected yes or no, got ${describe(text)}.`);
  return several('flag', choiceOf('yes', as(true)), choiceOf('no', as(false)), EMPTY_CHOICE);
}
