import type { References } from '@esd/record/reference/reference';
import type { Percentiles } from '@esd/record/sheet/assume-units';
import { readSheet, ReadyRows, type SheetRefusal } from '@esd/record/sheet/read-sheet';
import type { SheetGrid } from '@esd/record/sheet/sheet-grid';
import {
  type InvalidOption,
  invalidOption,
  type OptionTexts,
  parseSheetOptions,
  type SheetOptions,
} from '@esd/record/sheet/sheet-options';
import type { SheetFile, SheetReading } from '@esd/record/sheet/sheet-reading';
import { describe, shorten } from '@esd/record/validate/problems';
import { ServiceError } from '@esd/service/errors';
import { JsonParts } from './json-parts.ts';
import { type FileSheet, MAX_ROWS, openFile, readRows } from './open-file.ts';

/** The parameters of `headings=guess`. */
export interface GuessOptions extends OptionTexts {
  /** The name of a visible sheet. */
  readonly sheet?: string | undefined;
  readonly percentiles?: Percentiles;
}

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
  const opened = await openGrid(bytes, references, options, texts.sheet, texts.percentiles);
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
 * Opens the sheet with a name, or else the first sheet of the file with headings, or else the first one. A chosen
 * heading row does not change that. Throws the errors of `openFile`, and PAYLOAD_TOO_LARGE for a transposed sheet with
 * too many rows.
 */
export async function openGrid(
  bytes: Buffer,
  references: References,
  options: SheetOptions,
  sheetName: string | undefined,
  percentiles?: Percentiles,
): Promise<OpenedGrid | InvalidOption> {
  const sheets = await openFile(bytes, false);
  const isChosen = ({ file }: FileSheet): boolean => sheetName === undefined || file.sheet === shorten(sheetName);
  const { headingRow } = options;
  const asChosen = (opened: OpenedGrid): OpenedGrid =>
    headingRow === undefined ? opened : readGrid(opened.grid, opened.file, references, options, percentiles);
  let first: OpenedGrid | undefined;
  for (const sheet of sheets.filter(isChosen)) {
    const { grid } = await readRows(sheet);
    const opened = readGrid(grid, sheet.file, references, { ...options, headingRow: undefined }, percentiles);
    const { reading } = opened;
    if (!('kind' in reading) || reading.kind !== 'refused' || !reading.hasNoHeadings) return asChosen(opened);
    first ??= opened;
  }
  if (first !== undefined) return asChosen(first);
  const [{ file }] = sheets;
  if (file.kind === 'csv') return invalidOption('A text file has no sheets; send no `sheet`.');
  const names = file.sheets.map(describe).join(', ');
  return invalidOption(`\`sheet\` is ${describe(sheetName)}, which is not a visible sheet; choose from ${names}.`);
}

/** A sheet that was cut is refused, because none of its rows may be left out silently. */
function readGrid(
  grid: SheetGrid,
  file: SheetFile,
  references: References,
  options: SheetOptions,
  percentiles: Percentiles | undefined,
): OpenedGrid {
  const reading = readSheet(grid, file, references, options, new ReadyRows(), percentiles);
  if (grid.rows.length < MAX_ROWS || 'kind' in reading) return { grid, file, reading };
  throw new ServiceError(
    'PAYLOAD_TOO_LARGE',
    `A sheet with experiments in columns can have at most ${MAX_ROWS - 1} rows.`,
  );
}
