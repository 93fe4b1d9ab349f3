import { isFormatted } from './parse-cell.ts';
import { isBlank, type MergedRange, type TableRow } from './sheet-grid.ts';

/** The maximum number of merged ranges of a row that are reported; the row is an error with the first one. */
const MAX_WIDE_RANGES = 100;

/** A row with the cells of vertical merges filled in. */
export interface RowToRead extends TableRow {
  /** The columns of vertically merged cells. */
  readonly merged?: ReadonlySet<number>;
  /** The ranges of cells that are merged across columns. */
  readonly wide?: readonly MergedRange[];
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
