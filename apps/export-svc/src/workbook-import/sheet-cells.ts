import type { References } from '@esd/record/reference/reference';
import { columnLetters } from '@esd/record/sheet/column-letters';
import { type FormattedCell, isFormatted, type TableCell } from '@esd/record/sheet/parse-cell';
import { addMergedCells } from '@esd/record/sheet/read-named-sheet';
import { allCells, asRows, type TableRow } from '@esd/record/sheet/sheet-grid';
import { type InvalidOption, NO_OPTIONS } from '@esd/record/sheet/sheet-options';
import { cellText } from '@esd/record/sheet/unreadable-cell';
import { ProblemList } from '@esd/record/validate/problems';
import { MAX_RECORDS } from '@esd/record/submission-size';
import { openGrid } from './guess-sheet.ts';
import { JsonParts } from './json-parts.ts';
import { openFile, readRows } from './open-file.ts';

/**
 * Returns JSON `{rows: [{number, cells: [text]}], more}` of the first sheet: the header and at most 1,000 rows, and the
 * number of further rows. Only merged cells are problems. Throws the errors of `openFile`, and PAYLOAD_TOO_LARGE beyond
 * the maximum size of a submission.
 */
export async function tableCells(bytes: Buffer): Promise<{ json: Buffer; problems: ProblemList }> {
  const [sheet] = await openFile(bytes, true);
  const { grid, more } = await readRows(sheet, true);
  const problems = new ProblemList();
  addMergedCells(problems, grid, sheet.file.sheet ?? undefined);
  const json = new JsonParts();
  json.add('{"rows":[', 'The rows exceed');
  const rows = grid.rows.slice(0, MAX_RECORDS + 1).map(({ number, cells }) => ({ number, cells }));
  addRows(json, rows, cellText);
  return { json: json.whole(`],"more":${more + grid.rows.length - rows.length}}`), problems };
}

/**
 * Returns JSON `{file, rows: [{number, cells: [value], isHidden?}], merged: [range], hiddenColumns?: [letters]}` of a
 * sheet, for a reader outside of the service: the cells with their types, and at most 1,022 rows. Throws the errors of `openGrid`, and PAYLOAD_TOO_LARGE
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
  const ranges = grid.merged.map(asRows(grid, undefined).rangeAddress);
  const json = new JsonParts();
  const hidden = [...(grid.hiddenColumns ?? [])].map(columnLetters);
  const head = JSON.stringify({ file, merged: ranges, ...(hidden.length > 0 && { hiddenColumns: hidden }) });
  json.add(`${head.slice(0, -1)},"rows":[`, 'The merged ranges exceed');
  addRows(json, grid.rows, valueOf);
  return { json: json.whole(']}') };
}

function valueOf(cell: TableCell): string | number | boolean | FormattedCell {
  if (!isFormatted(cell)) return typeof cell === 'object' ? cellText(cell) : cell;
  return typeof cell.value === 'object' ? { ...cell, value: cellText(cell) } : cell;
}

/** Adds rows with all cells up to the last filled one. */
function addRows(
  json: JsonParts,
  rows: readonly TableRow[],
  valueOf: (cell: TableCell) => string | number | boolean | FormattedCell,
): void {
  for (const [at, row] of rows.entries()) {
    const { number, isHidden } = row;
    const text = JSON.stringify({ number, cells: allCells(row).map(valueOf), isHidden });
    json.add(`${at === 0 ? '' : ','}${text}`, `The rows up to row ${number} exceed`);
  }
}
