import type { ValidationProblem } from '../validate/problems.ts';
import { MAX_RECORDS } from '../validate/validate-submission.ts';
import { cellAddress, inSheet } from './cell-address.ts';
import { columnLetters } from './column-letters.ts';
import type { TableCell } from './parse-cell.ts';

/** A row of a sheet, numbered from 1, with its cells by column from 0; empty cells are absent. */
export interface TableRow {
  readonly number: number;
  /** Whether the file hides the row. */
  readonly isHidden?: boolean;
  readonly cells: ReadonlyMap<number, TableCell>;
}

/** Returns all cells of a row up to the last filled one; an empty cell is "". */
export function allCells({ cells }: TableRow): TableCell[] {
  return Array.from({ length: Math.max(...cells.keys()) + 1 }, (_, at) => cells.get(at) ?? '');
}

/** A range of merged cells; rows count from 1, columns from 0. */
export interface MergedRange {
  readonly fromRow: number;
  readonly toRow: number;
  readonly fromColumn: number;
  readonly toColumn: number;
}

/** The non-empty rows of a sheet in order, and its merged cells. */
export interface SheetGrid {
  readonly rows: readonly TableRow[];
  readonly merged: readonly MergedRange[];
}

/** A sheet whose experiments are rows, with the addresses of its cells in the file. */
export interface OrientedSheet extends SheetGrid {
  readonly orientation: 'rows' | 'columns';
  /** Returns the address of a cell, or of a row without a column. */
  readonly address: (row: number, column?: number) => string;
  readonly rangeAddress: (range: MergedRange) => string;
  /** Returns the name of a column without the sheet. */
  readonly columnName: (column: number) => string;
  readonly cellName: (row: number, column: number) => string;
}

const RANGE = /^\$?(?<from>[A-Z]{1,3})\$?(?<top>\d{1,7}):\$?(?<to>[A-Z]{1,3})\$?(?<bottom>\d{1,7})$/;

/** Parses a range such as `A3:B4`; undefined for another text. */
export function mergedRange(text: string): MergedRange | undefined {
  const { from, top, to, bottom } = RANGE.exec(text)?.groups ?? {};
  if (from === undefined || to === undefined) return undefined;
  return { fromRow: Number(top), toRow: Number(bottom), fromColumn: columnIndex(from), toColumn: columnIndex(to) };
}

/** Returns the position of a column from 0 by its letters: that of `AB` is 27. */
export function columnIndex(letters: string): number {
  let index = 0;
  for (const letter of letters) index = index * 26 + letter.charCodeAt(0) - 64;
  return index - 1;
}

/** Returns whether a cell has no text; all kinds of spaces are empty. */
export function isBlank(cell: TableCell | undefined): boolean {
  return cell === undefined || (typeof cell === 'string' && cell.trim() === '');
}

const hasCells = ({ cells }: TableRow): boolean => {
  for (const cell of cells.values()) if (!isBlank(cell)) return true;
  return false;
};

export function asRows({ rows, merged }: SheetGrid, sheet: string | undefined): OrientedSheet {
  return {
    rows: rows.filter(hasCells),
    merged,
    orientation: 'rows',
    address: (row, column) => cellAddress(sheet, row, column),
    rangeAddress: ({ fromRow, toRow, fromColumn, toColumn }) =>
      inSheet(sheet, `${columnLetters(fromColumn)}${fromRow}:${columnLetters(toColumn)}${toRow}`),
    columnName: columnLetters,
    cellName: (row, column) => cellAddress(undefined, row, column),
  };
}

/** Returns a sheet with rows and columns exchanged: the rows of the result are the columns of the file, from 1. */
export function transposed(grid: SheetGrid, sheet: string | undefined): OrientedSheet {
  const original = asRows(grid, sheet);
  const columns = new Map<number, Map<number, TableCell>>();
  for (const { number, cells } of original.rows) {
    for (const [column, cell] of cells) {
      const made = columns.get(column) ?? new Map<number, TableCell>();
      columns.set(column, made.set(number - 1, cell));
    }
  }
  const turn = ({ fromRow, toRow, fromColumn, toColumn }: MergedRange): MergedRange => ({
    fromRow: fromColumn + 1,
    toRow: toColumn + 1,
    fromColumn: fromRow - 1,
    toColumn: toRow - 1,
  });
  const rows = [...columns].sort(([a], [b]) => a - b).map(([column, cells]) => ({ number: column + 1, cells }));
  return {
    rows: rows.filter(hasCells),
    merged: grid.merged.map(turn),
    orientation: 'columns',
    address: (row, column) => {
      const letters = columnLetters(row - 1);
      return column === undefined ? inSheet(sheet, `${letters}:${letters}`) : original.address(column + 1, row - 1);
    },
    rangeAddress: (range) => original.rangeAddress(turn(range)),
    columnName: (column) => String(column + 1),
    cellName: (row, column) => original.cellName(column + 1, row - 1),
  };
}

/** Returns the problem of the first row beyond the maximum number of records. */
export function problemBeyondLimit(
  body: readonly TableRow[],
  address: OrientedSheet['address'],
): ValidationProblem | undefined {
  const row = body[MAX_RECORDS];
  if (row === undefined) return undefined;
  const message = `A file can contain at most ${MAX_RECORDS} records; move this row and all rows below it to another file.`;
  return { path: address(row.number), code: 'TOO_MANY_RECORDS', message };
}
