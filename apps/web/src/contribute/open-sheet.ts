import type { ResponseAt } from '@esd/api/operations';
import type { References } from '@esd/record/reference/reference';
import type { Percentiles } from '@esd/record/sheet/assume-units';
import { csvRows } from '@esd/record/sheet/csv-rows';
import { decodeText, openText } from '@esd/record/sheet/decode-text';
import { isFormatted, type TableCell } from '@esd/record/sheet/parse-cell';
import { allCells, columnIndex, mergedRange, type TableRow, transposed } from '@esd/record/sheet/sheet-grid';
import { cellText } from '@esd/record/sheet/unreadable-cell';
import { columnAt, gridOf, readingOf } from './check-sheet.ts';
import { type Sheet, type SheetCell, type SheetRow, type SheetSource, withTexts } from './sheet.ts';

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

/**
 * Finds the headings of a sheet and applies the choices for headings of earlier sheets. Returns a sentence if the sheet
 * cannot be read.
 */
export function openSheet(
  source: SheetSource,
  references: References,
  choices: ReadonlyMap<string, string | null>,
  percentiles?: Percentiles,
): Sheet | string {
  let sheet: Sheet = {
    ...source,
    isTransposed: false,
    isCut: false,
    columns: new Map(),
    remembered: new Set(),
    accepted: new Map(),
    replaced: [],
    included: new Set(),
  };
  let reading = readingOf(sheet, references, percentiles);
  if ('kind' in reading && reading.kind === 'refused' && reading.problems[0]?.code === 'HIDDEN_HEADING_ROW')
    return 'The heading row is hidden. Show it in the file, and upload the file again.';
  if ('kind' in reading && reading.kind === 'refused' && !reading.hasNoHeadings) {
    // The path of the problem is that of the first row beyond the limit.
    const end = Number.parseInt(reading.problems[0]?.path ?? '', 10);
    sheet = { ...sheet, rows: sheet.rows.filter(({ number }) => number < end), isCut: true };
    reading = readingOf(sheet, references, percentiles);
  }
  if ('kind' in reading)
    return 'No row or column has two headings that name fields. Add a row with headings such as Polymer, Solvent, Voltage (kV).';
  if (reading.counts.rows === 0) return 'The sheet has no experiments below its headings.';
  if (reading.orientation === 'columns') {
    const { rows, merged, hiddenColumns } = transposed(gridOf(sheet), undefined);
    sheet = { ...sheet, rows: rowsOf(rows), merged, hiddenColumns, isTransposed: true };
    reading = readingOf(sheet, references, percentiles);
    if ('kind' in reading) return 'The headings in the first column cannot be read. Put each experiment in a row.';
  }
  const { headingRow } = reading;
  const seen = new Map<string, number>();
  const renamed = new Map<number, string>();
  const headings = reading.columns.map(({ at, heading }) => {
    const count = (seen.get(heading) ?? 0) + 1;
    seen.set(heading, count);
    // A choice belongs to a heading.
    const name = count === 1 ? heading : `${heading} (${count})`.trim();
    if (count > 1) renamed.set(columnAt(at), name);
    return name;
  });
  if (renamed.size > 0) sheet = withTexts(sheet, [headingRow], [...renamed.keys()], [[...renamed.values()]]);
  const columns = new Map<string, string | null>();
  for (const heading of headings) {
    const choice = choices.get(heading);
    if (choice !== undefined) columns.set(heading, choice);
  }
  // The reading of an unchanged sheet is cached.
  return columns.size === 0 ? sheet : { ...sheet, columns, remembered: new Set(columns.keys()) };
}
