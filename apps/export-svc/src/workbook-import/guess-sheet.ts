import type { References } from '@esd/record/reference/reference';
import { decodeText, openText as splitText } from '@esd/record/sheet/decode-text';
import type { TableRow } from '@esd/record/sheet/parse-table';
import { readSheet, type SheetRefusal } from '@esd/record/sheet/read-sheet';
import { type MergedRange, mergedRange, type SheetGrid } from '@esd/record/sheet/sheet-grid';
import {
  type InvalidOption,
  invalidOption,
  type OptionTexts,
  parseSheetOptions,
  type SheetOptions,
} from '@esd/record/sheet/sheet-options';
import type { SheetFile, SheetReading } from '@esd/record/sheet/sheet-reading';
import { describe, shorten } from '@esd/record/validate/problems';
import { MAX_RECORDS } from '@esd/record/validate/validate-submission';
import { ServiceError } from '@esd/service/errors';
import { JsonParts } from './json-parts.ts';
import { openWorkbook } from './open-workbook.ts';
import { type MergedCells, openSheets } from './read-sheet.ts';
import { isWorkbook, unsupported } from './read-table.ts';
import { unreadableFile } from './unreadable-file.ts';

/** The parameters of `headings=guess`. */
export interface GuessOptions extends OptionTexts {
  /** The name of a visible sheet. */
  readonly sheet?: string | undefined;
}

/** Titles and a row of units can precede the records; one row more shows that a sheet is too long. */
const MAX_ROWS = MAX_RECORDS + 22;
const MAX_MERGED = 10_000;

/**
 * Reads a file as laboratories write it and returns the JSON of its reading. Throws the errors of `openGrid`, and
 * PAYLOAD_TOO_LARGE beyond the maximum size of a submission.
 */
export async function guessSheet(
  bytes: Buffer,
  references: References,
  texts: GuessOptions,
): Promise<{ json: Buffer } | SheetRefusal | InvalidOption> {
  const options = parseSheetOptions(texts);
  if ('kind' in options) return options;
  const opened = await openGrid(bytes, references, options, texts.sheet);
  if ('kind' in opened) return opened;
  const { reading } = opened;
  return 'kind' in reading ? reading : { json: jsonOf(reading) };
}

/** Returns the JSON of a reading. Throws PAYLOAD_TOO_LARGE beyond the maximum size of a submission. */
function jsonOf({ rows, notes, ...others }: SheetReading): Buffer {
  const json = new JsonParts();
  const add = (text: string): void => json.add(text, 'The reading of the sheet exceeds');
  add(JSON.stringify(others).slice(0, -1));
  for (const [name, items] of Object.entries({ rows, notes })) {
    add(`,"${name}":[`);
    for (const [at, item] of items.entries()) add((at === 0 ? '' : ',') + JSON.stringify(item));
    add(']');
  }
  return json.whole('}');
}

type Outcome = SheetReading | SheetRefusal | InvalidOption;

/** The cells of a sheet with their reading. */
export interface OpenedGrid {
  readonly grid: SheetGrid;
  readonly file: SheetFile;
  readonly reading: Outcome;
}

/**
 * Opens a text file or a sheet of a workbook: the wanted one, or else the first one with headings, or else the first
 * one. Throws the errors of `openWorkbook`, UNSUPPORTED_MEDIA_TYPE for bytes that are no text, and PAYLOAD_TOO_LARGE
 * for a transposed sheet with too many rows.
 */
export async function openGrid(
  bytes: Buffer,
  references: References,
  options: SheetOptions,
  wanted: string | undefined,
): Promise<OpenedGrid | InvalidOption> {
  if (!isWorkbook(bytes)) {
    return wanted === undefined
      ? openText(bytes, references, options)
      : invalidOption('A text file has no sheets; send no `sheet`.');
  }
  const visible = await openSheets(await openWorkbook(bytes));
  const sheets = visible.map(({ name }) => name);
  const chosen = wanted === undefined ? visible : visible.filter(({ name }) => name === shorten(wanted));
  let first: OpenedGrid | undefined;
  for (const { name, items } of chosen) {
    const opened = readGrid(await gridOf(items), { kind: 'xlsx', sheet: name, sheets }, references, options);
    const { reading } = opened;
    if (!('kind' in reading) || reading.kind !== 'refused' || !reading.hasNoHeadings) return opened;
    first ??= opened;
  }
  return (
    first ??
    invalidOption(
      `\`sheet\` is ${describe(wanted)}, which is not a visible sheet; choose from ${sheets.map(describe).join(', ')}.`,
    )
  );
}

function openText(bytes: Buffer, references: References, options: SheetOptions): OpenedGrid {
  const decoded = decodeText(bytes);
  if (decoded === undefined) throw unsupported('This is neither a workbook nor text');
  const { separator, rows } = splitText(decoded.text);
  const read: TableRow[] = [];
  for (const row of rows) if (row.cells.size > 0 && read.push(row) === MAX_ROWS) break;
  const file = { kind: 'csv', sheet: null, sheets: [], encoding: decoded.encoding, separator } as const;
  return readGrid({ rows: read, merged: [] }, file, references, options);
}

/** A sheet that was cut is refused, because none of its rows may be left out silently. */
function readGrid(grid: SheetGrid, file: SheetFile, references: References, options: SheetOptions): OpenedGrid {
  const reading = readSheet(grid, file, references, options);
  if (grid.rows.length < MAX_ROWS || 'kind' in reading) return { grid, file, reading };
  throw new ServiceError(
    'PAYLOAD_TOO_LARGE',
    `A sheet with experiments in columns can have at most ${MAX_ROWS - 1} rows.`,
  );
}

async function gridOf(items: AsyncIterable<TableRow | MergedCells>): Promise<SheetGrid> {
  const rows: TableRow[] = [];
  const merged: MergedRange[] = [];
  for await (const item of items) {
    if ('merged' in item) {
      if (merged.length === MAX_MERGED) throw unreadableFile(`it has more than ${MAX_MERGED} ranges of merged cells.`);
      const range = mergedRange(item.merged);
      if (range !== undefined) merged.push(range);
    } else if (item.cells.size > 0 && rows.push(item) === MAX_ROWS) break;
  }
  return { rows, merged };
}
