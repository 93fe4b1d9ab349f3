import type { References } from '@esd/record/reference/reference';
import { cellAddress } from '@esd/record/sheet/cell-address';
import type { TableCell } from '@esd/record/sheet/parse-cell';
import { type InvalidOption, NO_OPTIONS } from '@esd/record/sheet/sheet-options';
import { cellText } from '@esd/record/sheet/unreadable-cell';
import { openGrid } from './guess-sheet.ts';
import { JsonParts } from './json-parts.ts';

/**
 * Returns JSON `{file, rows: [{number, cells: [value]}], merged: [range]}` of a sheet, for a reader outside of the
 * service: the cells with their types, and at most 1,022 rows. Throws the errors of `openGrid`, and PAYLOAD_TOO_LARGE
 * beyond the maximum size of a submission.
 */
export async function sheetValues(
  bytes: Buffer,
  references: References,
  sheet: string | undefined,
): Promise<{ json: Buffer } | InvalidOption> {
  const opened = await openGrid(bytes, references, NO_OPTIONS, sheet);
  if ('kind' in opened) return opened;
  const { grid, file } = opened;
  const ranges = grid.merged.map(
    ({ fromRow, fromColumn, toRow, toColumn }) =>
      `${cellAddress(undefined, fromRow, fromColumn)}:${cellAddress(undefined, toRow, toColumn)}`,
  );
  const json = new JsonParts();
  json.add(`{"file":${JSON.stringify(file)},"merged":${JSON.stringify(ranges)},"rows":[`, 'The merged ranges exceed');
  for (const [at, { number, cells }] of grid.rows.entries()) {
    const width = Math.max(...cells.keys()) + 1;
    const values = Array.from({ length: width }, (_, column) => valueOf(cells.get(column) ?? ''));
    const row = JSON.stringify({ number, cells: values });
    json.add(`${at === 0 ? '' : ','}${row}`, `The rows up to row ${number} exceed`);
  }
  return { json: json.whole(']}') };
}

const valueOf = (cell: TableCell): string | number | boolean => (typeof cell === 'object' ? cellText(cell) : cell);
