import type { ResponseAt } from '@esd/api/operations';
import type { References } from '@esd/record/reference/reference';
import type { Percentiles } from '@esd/record/sheet/assume-units';
import { csvRows } from '@esd/record/sheet/csv-rows';
import { decodeText, openText } from '@esd/record/sheet/decode-text';
import { isFormatted, type TableCell } from '@esd/record/sheet/parse-cell';
import { allCells, columnIndex, mergedRange, type TableRow, transposed } from '@esd/record/sheet/sheet-grid';
import { cellText } from '@esd/record/sheet/unreadable-cell';
import { gridOf, readingOf } from './check-sheet.ts';
import { choiceName } from './heading-choices.ts';
import type { Sheet, SheetCell, SheetRow, SheetSource } from './sheet.ts';

const NO_SHEET = { kind: 'csv', sheet: null, sheets: [] } as const;

/** Reads the cells of a text. Throws UnreadableSheet. */
export function readText(text: string, name: string): SheetSource {
  const { separator, rows } = openText(text);
  return { name, file: { ...NO_SHEET, separator }, rows: rowsOf(rows), merged: [] };
}

/** Reads cells of the clipboard, which have tabs, or a text. Throws UnreadableSheet. */
export function readPasted(text: string, name: string): SheetSource {
  if (!text.includes('\t')) return readText(text, name);
  return { name, file: { ...NO_SHEET, separator: '\t' }, rows: rowsOf(csvRows(text, '\t')), merged: [] };
}

/** Reads a text file; undefined if its bytes are no text. Throws UnreadableSheet. */
export function readTextFile(bytes: Uint8Array, name: string): SheetSource | undefined {
  const decoded = decodeText(bytes);
  if (decoded === undefined) return undefined;
  const source = readText(decoded.text, name);
  return { ...source, file: { ...source.file, encoding: decoded.encoding } };
}

/** The cells of a workbook. */
type Cells = Extract<ResponseAt<'post', '/data/parse-excel'>, { merged: string[] }>;

/** Reads the response of the service for a workbook. */
export function readWorkbook(
  { file: { sheet, sheets }, rows, merged, hiddenColumns }: Cells,
  name: string,
): SheetSource {
  return {
    name: sheets.length > 1 ? `${name}, ${String(sheet)}` : name,
    file: { kind: 'xlsx', sheet, sheets },
    rows,
    merged: merged.flatMap((range) => mergedRange(range) ?? []),
    hiddenColumns: hiddenColumns && new Set(hiddenColumns.map(columnIndex)),
  };
}

/** Splits cells of the clipboard into rows. Throws UnreadableSheet. */
export function pastedCells(text: string): (readonly SheetCell[])[] {
  const rows: (readonly SheetCell[])[] = [];
  for (const { number, cells } of rowsOf(csvRows(text, '\t'))) rows[number - 1] = cells;
  return Array.from(rows, (cells) => cells ?? ['']);
}

function rowsOf(rows: Iterable<TableRow>): SheetRow[] {
  const read: SheetRow[] = [];
  for (const row of rows) {
    if (row.cells.size > 0) read.push({ ...row, cells: allCells(row).map(sheetCell) });
  }
  return read;
}

function sheetCell(cell: TableCell): SheetCell {
  return isFormatted(cell) ? cell : cellText(cell).trim();
}

/** Opens the first table of a sheet. Returns a sentence if the sheet has nothing to read. */
export function openSheet(
  source: SheetSource,
  references: References,
  choices: ReadonlyMap<string, string | null>,
  percentiles?: Percentiles,
): Sheet | string {
  if (source.rows.length === 0) return 'The sheet is empty.';
  const sheet: Sheet = {
    ...source,
    isTransposed: false,
    isCut: false,
    columns: new Map(),
    remembered: new Set(),
    accepted: new Map(),
    replaced: [],
    included: new Set(),
  };
  const opened = openTable(sheet, references, choices, percentiles);
  const reading = readingOf(opened, references, percentiles);
  const isEmpty = !('kind' in reading) && reading.counts.rows === 0;
  return isEmpty ? 'The sheet has no experiments below its headings.' : opened;
}

/**
 * Cuts a sheet that is too long, turns one whose experiments are columns, and applies the choices for headings of earlier
 * sheets. A sheet without headings is returned unchanged.
 */
export function openTable(
  opened: Sheet,
  references: References,
  choices: ReadonlyMap<string, string | null>,
  percentiles?: Percentiles,
): Sheet {
  let sheet = opened;
  let reading = readingOf(sheet, references, percentiles);
  const problem = 'kind' in reading && reading.kind === 'refused' ? reading.problems[0] : undefined;
  if (problem?.code === 'TOO_MANY_RECORDS') {
    // The path of the problem is that of the first row beyond the limit.
    const end = Number.parseInt(problem.path, 10);
    sheet = { ...sheet, rows: sheet.rows.filter(({ number }) => number < end), isCut: true };
    reading = readingOf(sheet, references, percentiles);
  }
  if (!('kind' in reading) && reading.orientation === 'columns') {
    const { rows, merged, hiddenColumns } = transposed(gridOf(sheet), undefined);
    sheet = { ...sheet, rows: rowsOf(rows), merged, hiddenColumns, isTransposed: true };
    reading = readingOf(sheet, references, percentiles);
  }
  if ('kind' in reading) return sheet;
  const { columns } = reading;
  const chosen = columns.flatMap((column): [string, string | null][] => {
    const choice = choices.get(choiceName(column, columns));
    return choice === undefined ? [] : [[`@${column.at}`, choice]];
  });
  // The reading of an unchanged sheet is cached.
  return chosen.length === 0
    ? sheet
    : { ...sheet, columns: new Map(chosen), remembered: new Set(new Map(chosen).keys()) };
}
