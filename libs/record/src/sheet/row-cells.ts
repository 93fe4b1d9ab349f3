import type { TableCell } from './parse-cell.ts';
import { UnreadableSheet } from './unreadable-sheet.ts';

const MAX_CELLS = 1_000;

/** The cells of a row by column. `set` throws UnreadableSheet beyond 1,000 cells. */
export class RowCells extends Map<number, TableCell> {
  override set(column: number, cell: TableCell): this {
    if (this.size >= MAX_CELLS) throw new UnreadableSheet(`a row has more than ${MAX_CELLS} cells.`);
    return super.set(column, cell);
  }
}
