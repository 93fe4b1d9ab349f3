import type { References } from '../reference/reference.ts';
import type { ValidationProblem } from '../validate/problems.ts';
import { plainCell, type TableCell } from './parse-cell.ts';
import { headingKey } from './read-heading.ts';
import { allCells, isBlank, type TableRow } from './sheet-grid.ts';
import { filledCells, isUnitRow, labelOf, NUMBER_START, plainText } from './sheet-rows.ts';
import { shownText } from './unreadable-cell.ts';

const MIN_HEADINGS = 2;
const MAX_SHOWN_ROWS = 20;
const MAX_SHOWN_CELLS = 30;
const MAX_SHOWN_LENGTH = 60;

export interface SheetTable {
  /** The index of the heading row in the rows of the sheet. */
  readonly headingIndex: number;
  readonly headingRow: TableRow;
  readonly unitRow: TableRow | undefined;
  readonly body: readonly TableRow[];
  /** The headings, the units, and the body. */
  readonly rows: readonly TableRow[];
}

/**
 * Finds the tables of a sheet below its first heading row. Another table begins at a row below data in which at least
 * two and at least half of the filled cells are headings, unless it repeats the headings above or is in `include`.
 */
export function findTables(
  rows: readonly TableRow[],
  firstHeading: number,
  isHeading: (cell: TableCell) => boolean,
  include: ReadonlySet<number>,
  references: References,
): SheetTable[] {
  const starts = [firstHeading];
  let most = 0;
  let hasData = false;
  for (const [offset, row] of rows.slice(firstHeading + 1).entries()) {
    if (row.isHidden === true) continue;
    const count = include.has(row.number) ? 0 : countHeadings(row, isHeading);
    if (count === 0) hasData ||= filledCells(row).length > 1 && !isUnitRow(row, references);
    else if (!isUnitRow(row, references) && !repeats(row, rows[starts.at(-1) ?? firstHeading])) {
      const isBelowTitles = !hasData && starts.length > 1 && count > most;
      if (!hasData && !isBelowTitles) continue;
      // The titles of groups look like headings too.
      if (isBelowTitles) starts.pop();
      starts.push(firstHeading + 1 + offset);
      most = count;
      hasData = false;
    }
  }
  return starts.flatMap((headingIndex, at) => {
    const all = rows.slice(headingIndex, starts[at + 1]);
    const [headingRow, ...below] = all;
    if (headingRow === undefined) return [];
    const shown = below.filter(({ isHidden }) => isHidden !== true);
    const unitRow = findUnitRow(shown, references);
    return [{ headingIndex, headingRow, unitRow, body: below.filter((row) => row !== unitRow), rows: all }];
  });
}

/** Finds the unit row: the row below the headings, or one of the labelled rows that follow them in a sheet of Origin. */
function findUnitRow(below: readonly TableRow[], references: References): TableRow | undefined {
  for (const row of below) {
    if (isUnitRow(row, references)) return row;
    if (labelOf(row) === undefined) return undefined;
  }
  return undefined;
}

/** Counts the headings of a row; returns 0 unless it has two, and at least half of its filled cells are headings. */
export function countHeadings({ cells }: TableRow, isHeading: (cell: TableCell) => boolean): number {
  const filled = [...cells.values()].filter((cell) => !isBlank(cell));
  const texts = filled.filter((cell) => typeof plainCell(cell) !== 'number' && !NUMBER_START.test(plainText(cell)));
  let count = texts.length;
  for (const cell of texts) {
    // Stops early, because reading a heading is slow.
    if (2 * count < filled.length) return 0;
    if (!isHeading(cell)) count -= 1;
  }
  return count >= MIN_HEADINGS && 2 * count >= filled.length ? count : 0;
}

function repeats(row: TableRow, headings: TableRow | undefined): boolean {
  const keyOf = (cell: TableCell | undefined): string => headingKey(plainText(cell));
  return filledCells(row).every(([column, cell]) => keyOf(cell) === keyOf(headings?.cells.get(column)));
}

/** Returns the first rows of a sheet, from which the user chooses that of the headings. Long rows and texts are cut. */
export function firstRows(rows: readonly TableRow[]): NonNullable<ValidationProblem['rows']> {
  return rows.slice(0, MAX_SHOWN_ROWS).map((row) => ({
    row: row.number,
    cells: allCells(row)
      .slice(0, MAX_SHOWN_CELLS)
      .map((cell) => {
        const text = shownText(cell).trim();
        return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH - 1)}…`.toWellFormed() : text;
      }),
  }));
}
