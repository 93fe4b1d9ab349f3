import { decodeText, openText } from '../../src/sheet/decode-text.ts';
import type { TableCell } from '../../src/sheet/parse-cell.ts';
import { readSheet } from '../../src/sheet/read-sheet.ts';
import { mergedRange, type SheetGrid } from '../../src/sheet/sheet-grid.ts';
import { NO_OPTIONS, type SheetOptions } from '../../src/sheet/sheet-options.ts';
import type { SheetReading } from '../../src/sheet/sheet-reading.ts';
import { references } from '../seed-lists.ts';

/** Returns a sheet; a cell without a value is `''` or undefined. */
export function gridOf(rows: readonly (readonly (TableCell | undefined)[])[], ...merged: string[]): SheetGrid {
  return {
    rows: rows.map((cells, at) => ({
      number: at + 1,
      cells: new Map(
        cells.flatMap((cell, column) => (cell === undefined || cell === '' ? [] : [[column, cell] as const])),
      ),
    })),
    merged: merged.flatMap((range) => mergedRange(range) ?? []),
  };
}

/** Reads a text file with any headings. */
export function readTextSheet(bytes: Uint8Array, options: SheetOptions = NO_OPTIONS): SheetReading {
  const decoded = decodeText(bytes);
  if (decoded === undefined) throw new Error('The file is no text.');
  const { separator, rows } = openText(decoded.text);
  const file = { kind: 'csv', sheet: null, sheets: [], encoding: decoded.encoding, separator } as const;
  const reading = readSheet({ rows: [...rows], merged: [] }, file, references, options);
  if ('kind' in reading) throw new Error(JSON.stringify(reading));
  return reading;
}
