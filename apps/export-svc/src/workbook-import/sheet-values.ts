import type { References } from '@esd/record/reference/reference';
import type { TableCell } from '@esd/record/sheet/parse-cell';
import { readSheet } from '@esd/record/sheet/read-sheet';
import type { SheetGrid } from '@esd/record/sheet/sheet-grid';
import type { SheetFile } from '@esd/record/sheet/sheet-reading';
import { cellText } from '@esd/record/sheet/unreadable-cell';
import { cellAddress } from '@esd/record/sheet/cell-address';
import { ServiceError } from '@esd/service/errors';
import { gridOf, MAX_ROWS } from './guess-sheet.ts';
import { MAX_BYTES } from './import-table.ts';
import { openWorkbook } from './open-workbook.ts';
import { openSheets } from './read-sheet.ts';
import { isWorkbook, readTable } from './read-table.ts';

/**
 * Returns JSON `{file, rows: [{number, cells: [value]}], merged: [range]}` of the first sheet with headings, or else of
 * the first sheet, for a reader outside of the service: the cells with their types, and at most 1,022 rows. Throws
 * PAYLOAD_TOO_LARGE beyond the maximum size of a submission.
 */
export async function sheetValues(bytes: Buffer, references: References): Promise<{ json: Buffer }> {
  if (!isWorkbook(bytes)) {
    const grid = await gridOf((await readTable(bytes)).items);
    return { json: jsonOf(grid, { kind: 'csv', sheet: null, sheets: [] }) };
  }
  const visible = await openSheets(await openWorkbook(bytes));
  const sheets = visible.map(({ name }) => name);
  let first: (() => Buffer) | undefined;
  for (const { name, items } of visible) {
    const grid = await gridOf(items);
    const file = { kind: 'xlsx', sheet: name, sheets } as const;
    const outcome = readSheet(grid, file, references);
    const json = (): Buffer => jsonOf(grid, file);
    if (!('kind' in outcome) || outcome.kind !== 'refused' || !outcome.hasNoHeadings) return { json: json() };
    first ??= json;
  }
  return { json: first?.() ?? Buffer.alloc(0) };
}

/** Builds the JSON of small parts outside the heap, as `guessSheet` does. */
function jsonOf({ rows, merged }: SheetGrid, file: SheetFile): Buffer {
  const ranges = merged.map(
    ({ fromRow, fromColumn, toRow, toColumn }) =>
      `${cellAddress(undefined, fromRow, fromColumn)}:${cellAddress(undefined, toRow, toColumn)}`,
  );
  const parts = [Buffer.from(`{"file":${JSON.stringify(file)},"merged":${JSON.stringify(ranges)},"rows":[`)];
  let bytes = 0;
  for (const [at, { number, cells }] of rows.slice(0, MAX_ROWS).entries()) {
    const width = Math.max(...cells.keys()) + 1;
    const values = Array.from({ length: width }, (_, column) => valueOf(cells.get(column) ?? ''));
    const part = Buffer.from((at === 0 ? '' : ',') + JSON.stringify({ number, cells: values }));
    bytes += part.length;
    if (bytes > MAX_BYTES) {
      const message = `The rows up to row ${number} exceed ${MAX_BYTES} bytes, the maximum of a submission; split the file.`;
      throw new ServiceError('PAYLOAD_TOO_LARGE', message);
    }
    parts.push(part);
  }
  return Buffer.concat([...parts, Buffer.from(']}')]);
}

const valueOf = (cell: TableCell): string | number | boolean => (typeof cell === 'object' ? cellText(cell) : cell);
