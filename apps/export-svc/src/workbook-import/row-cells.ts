import type { TableCell } from '@esd/record/parse-cell';
import { unreadableFile } from './unreadable-file.ts';

const MOST_CELLS = 1_000;

/** The cells of a row, by column, while it is read; at most 1,000. */
export class RowCells extends Map<number, TableCell> {
  override set(column: number, cell: TableCell): this {
    if (this.size >= MOST_CELLS) throw unreadableFile(`a row has more than ${MOST_CELLS} cells.`);
    return super.set(column, cell);
  }
}
