import { type CellReading, choiceOf, EMPTY_CHOICE, several } from './cell-reading.ts';
import { isFormatted, plainCell, type TableCell } from './parse-cell.ts';
import { isBlank, type MergedRange, type TableRow } from './sheet-grid.ts';
import { isDitto } from './sheet-rows.ts';

/** The maximum number of merged ranges of a row that are reported; the row is an error with the first one. */
const MAX_WIDE_RANGES = 100;

/** A row with the cells of vertical merges filled in. */
export interface RowToRead extends TableRow {
  /** The columns of vertically merged cells. */
  readonly merged?: ReadonlySet<number>;
  /** The ranges of cells that are merged across columns. */
  readonly wide?: readonly MergedRange[];
  /** The cells that ditto marks of the row repeat, by column. */
  readonly above?: ReadonlyMap<number, TableCell>;
}

/** Repeats vertically merged cells in each row of their range; collects the horizontally merged ones. */
export function fillMerged(body: readonly TableRow[], ranges: readonly MergedRange[]): readonly RowToRead[] {
  if (ranges.length === 0) return body;
  const rows = body.map((row) => ({
    ...row,
    cells: new Map(row.cells),
    merged: new Set<number>(),
    wide: new Array<MergedRange>(),
  }));
  const byNumber = new Map(rows.map((row) => [row.number, row]));
  const [first = 0, last = 0] = [body[0]?.number, body.at(-1)?.number];
  for (const range of ranges) {
    const { fromRow, toRow, fromColumn, toColumn } = range;
    const source = byNumber.get(fromRow)?.cells.get(fromColumn);
    for (let number = Math.max(fromRow, first); number <= Math.min(toRow, last); number++) {
      const row = byNumber.get(number);
      if (row === undefined) continue;
      if (toColumn > fromColumn) {
        if (row.wide.length < MAX_WIDE_RANGES) row.wide.push(range);
      } else if (source !== undefined && !isBlank(source)) {
        // A comment belongs to the first cell.
        const repeated = isFormatted(source) ? { ...source, comment: undefined } : source;
        if (isBlank(row.cells.get(fromColumn))) row.cells.set(fromColumn, repeated);
        row.merged.add(fromColumn);
      }
    }
  }
  return rows;
}

/** Adds the cells that ditto marks repeat: the nearest ones above in the same column that are no ditto marks. */
export function withDittos(rows: readonly RowToRead[], isRead: (row: TableRow) => boolean): readonly RowToRead[] {
  const last = new Map<number, TableCell>();
  return rows.map((row) => {
    if (!isRead(row)) return row;
    const above = new Map<number, TableCell>();
    for (const [at, cell] of row.cells) {
      const plain = plainCell(cell);
      const isMark = typeof plain === 'string' && isDitto(plain.trim());
      const source = isMark ? last.get(at) : undefined;
      if (source !== undefined) above.set(at, source);
      if (!isMark && !isBlank(cell)) last.set(at, cell);
    }
    return above.size === 0 ? row : { ...row, above };
  });
}

/** Reads a cell of a row. A ditto mark offers the reading of the cell that it repeats. */
export function readInRow(
  { above }: RowToRead,
  [at, cell]: readonly [at: number, cell: TableCell],
  read: (cell: TableCell) => CellReading,
): CellReading {
  const repeated = above?.get(at);
  return repeated === undefined ? read(cell) : several('ditto', choiceOf('above', read(repeated)), EMPTY_CHOICE);
}
