import { memberOfColumn } from '../flatten/flatten.ts';
import type { References } from '../reference/reference.ts';
import { unitsOfColumn } from './column-dimensions.ts';
import { cleanText, numberForm, scanNumber } from './number-text.ts';
import { plainCell, type TableCell } from './parse-cell.ts';
import { SPREAD, SPREAD_OF } from './read-cell.ts';
import { MAX_NUMBER_LENGTH } from './read-number-cell.ts';
import { isBlank, type TableRow } from './sheet-grid.ts';
import type { PlacedColumn } from './sheet-reading.ts';
import { isStatistic, plainText } from './sheet-rows.ts';

/** The 1st and the 99th percentile of the published values of each feature, in the unit of its filter. */
export type Percentiles = Readonly<Record<string, readonly [low: number, high: number]>>;

/** The tolerated ratio to a percentile. */
const FACTOR = 10;

interface UnitsOf {
  readonly body: readonly TableRow[];
  readonly references: References;
  readonly percentiles: Percentiles;
}

/**
 * Returns the columns, of which those ask for their unit whose numbers without a unit do not fit the default unit. Calls
 * `onAssumed` for each other column with such numbers.
 */
export function assumeUnits(
  columns: readonly PlacedColumn[],
  { body, references, percentiles }: UnitsOf,
  onAssumed: (column: PlacedColumn, unit: string) => void,
): PlacedColumn[] {
  const rows = body.filter(({ cells }) => !isStatistic(plainText([...cells.values()].find((cell) => !isBlank(cell)))));
  const units = new Set(columns.map(({ reads }) => reads));
  const ask = (column: PlacedColumn, name: string, reason: string, choices?: readonly string[]): PlacedColumn => ({
    ...column,
    state: 'ask',
    reads: null,
    candidates: [name],
    choices: choices ?? unitsOfColumn(name, references),
    reason,
  });
  const checked = columns.map((column) => {
    const { reads: name, unitEntry } = column;
    const field = name === null || unitEntry !== undefined ? undefined : memberOfColumn(name)?.field;
    if (name === null || name === SPREAD || field?.kind !== 'quantity' || units.has(`${name}_unit`)) return column;
    const { defaultUnit, filterKey = '' } = field;
    const values = defaultUnit === undefined ? [] : bareNumbers(rows, column.index);
    if (defaultUnit === undefined || values.length === 0) return column;
    const isShare = values.every((value) => value <= 1) && values.some((value) => value !== 0 && value !== 1);
    if (defaultUnit.endsWith('%') && isShare) {
      const choices = ['percent', 'fraction', ...(defaultUnit === '%' ? [] : [defaultUnit])];
      return ask(column, name, 'the values can be percent or a fraction', choices);
    }
    const [low, high] = percentiles[filterKey] ?? [-Infinity, Infinity];
    const [min, max] = [Math.min(low / FACTOR, low * FACTOR), Math.max(high / FACTOR, high * FACTOR)];
    const unusual = values.filter((value) => value < min || value > max).length;
    if (2 * unusual >= values.length) return ask(column, name, `the values are unusual in ${defaultUnit}`);
    onAssumed(column, defaultUnit);
    return column;
  });
  if (checked.some(({ reads }) => reads === SPREAD_OF) || units.has(`${SPREAD}_unit`)) return checked;
  return checked.map((column) =>
    column.reads !== SPREAD || column.unitEntry !== undefined || bareNumbers(rows, column.index).length === 0
      ? column
      : ask(column, SPREAD, 'no diameter gives its unit'),
  );
}

/** Returns the numbers of a column whose cells have no unit. */
function bareNumbers(rows: readonly TableRow[], index: number): number[] {
  return rows.flatMap(({ cells }) => bareNumber(cells.get(index)) ?? []);
}

function bareNumber(formatted: TableCell | undefined): number | undefined {
  const cell = formatted && plainCell(formatted);
  if (typeof cell === 'number') return cell;
  if (typeof cell !== 'string' || cell.length > MAX_NUMBER_LENGTH) return undefined;
  const text = cleanText(cell);
  const token = scanNumber(text, Math.max(0, text.search(/[-+]?[.,]?\d/)));
  const form = token && !/[\p{L}%°"″]/u.test(text.slice(token.end)) ? numberForm(token.raw) : undefined;
  return form?.kind === 'one' ? form.value : undefined;
}
