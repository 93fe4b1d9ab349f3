import { memberOfColumn } from '@esd/record/flatten/flatten';
import type { References } from '@esd/record/reference/reference';
import type { Percentiles } from '@esd/record/sheet/assume-units';
import { unitsOfColumn } from '@esd/record/sheet/column-dimensions';
import type { TableCell } from '@esd/record/sheet/parse-cell';
import type { ParsedItem } from '@esd/record/sheet/parse-row';
import { readSheet, ReadyRows, type SheetRefusal } from '@esd/record/sheet/read-sheet';
import { mergedRange, type SheetGrid, type TableRow } from '@esd/record/sheet/sheet-grid';
import type { InvalidOption } from '@esd/record/sheet/sheet-options';
import type { ReadColumn, SheetNote, SheetReading } from '@esd/record/sheet/sheet-reading';
import { cellOfText } from '@esd/record/sheet/unreadable-cell';
import type { ReadingChoice, ValidationProblem } from '@esd/record/validate/problems';
import { polymersOf, rangeWarnings } from '../range-warnings.ts';
import type { ReferenceData } from './reference-data.ts';
import { type Sheet, type SheetCell, type SheetRow, type SheetSource, withTable } from './sheet.ts';

/** An error or a warning in a cell; `column` is its index, or -1 for the whole row. */
export interface CellFinding {
  readonly column: number;
  readonly text: string;
  /** Names for a text that has none, or several. */
  readonly near?: { readonly cell: string; readonly choices: readonly ReadingChoice[] };
}

export interface CheckedRow {
  readonly row: SheetRow;
  readonly state: 'ready' | 'error' | 'left-out';
  readonly reason: string | null;
  /** The item to send; null unless the row is ready. */
  readonly item: ParsedItem | null;
  readonly errors: readonly CellFinding[];
  readonly warnings: readonly CellFinding[];
  /** The cells that were read as something else than their text. */
  readonly notes: readonly SheetNote[];
}

export interface GridColumn extends ReadColumn {
  /** The index of the column in the sheet. */
  readonly index: number;
  /** The default unit of a column with numbers without a unit. */
  readonly assumedUnit: string | undefined;
  /** The units that the user can choose. */
  readonly units: readonly string[];
}

export interface CheckedSheet {
  readonly reading: SheetReading;
  readonly columns: readonly GridColumn[];
  /** The rows of the table below its headings. */
  readonly rows: readonly CheckedRow[];
  /** Empty until every heading is assigned or left out. */
  readonly ready: readonly CheckedRow[];
}

/** Returns the index of a column by its letters, or that of a cell or a range by its address; -1 for a row. */
export function columnAt(address: string): number {
  const cell = /^[A-Z]+$/.test(address) ? `${address}1` : address;
  return mergedRange(cell.includes(':') ? cell : `${cell}:${cell}`)?.fromColumn ?? -1;
}

/** Returns the number of the row of an address. */
export const rowAt = (address: string): number => Number(address.replace(/^[A-Z]+/, ''));

const knownRows = new WeakMap<SheetRow, TableRow>();

/** Returns the same object for the same row, so that its reading can be reused. */
function tableRow(row: SheetRow): TableRow {
  const cached = knownRows.get(row);
  if (cached !== undefined) return cached;
  const filled = new Map<number, TableCell>();
  for (let at = 0; at < row.cells.length; at++) {
    const cell = row.cells[at] ?? '';
    if (cell !== '') filled.set(at, tableCell(cell));
  }
  const made = { ...row, cells: filled };
  knownRows.set(row, made);
  return made;
}

function tableCell(cell: SheetCell): TableCell {
  if (typeof cell === 'string') return cellOfText(cell);
  return typeof cell === 'object' && typeof cell.value === 'string' ? { ...cell, value: cellOfText(cell.value) } : cell;
}

export function gridOf({ rows, merged, hiddenColumns }: SheetSource): SheetGrid {
  return { rows: rows.map(tableRow), merged, hiddenColumns };
}

type Outcome = SheetReading | SheetRefusal | InvalidOption;

const readyRows = new ReadyRows();
const readings = new WeakMap<
  Sheet,
  { references: References; percentiles: Percentiles | undefined; outcome: Outcome; read?: ReadRows }
>();

/** Reads a sheet once; the file has a name outside of the addresses. */
export function readingOf(sheet: Sheet, references: References, percentiles: Percentiles | undefined): Outcome {
  const before = readings.get(sheet);
  if (before?.references === references && before.percentiles === percentiles) return before.outcome;
  const options = {
    columns: sheet.columns,
    units: sheet.units ?? new Map<string, string>(),
    accept: new Map(),
    acceptAt: new Map([...sheet.accepted].map(([key, { choice }]) => [key, choice])),
    include: sheet.included,
    exclude: sheet.excluded ?? new Set<number>(),
    headingRow: sheet.headingRow,
    table: sheet.table,
  };
  const file = { ...sheet.file, sheet: null };
  const outcome = readSheet(gridOf(sheet), file, references, options, readyRows, percentiles);
  readings.set(sheet, { references, percentiles, outcome });
  return outcome;
}

type ReadRows = Omit<CheckedSheet, 'ready'>;

/** Reads and checks the rows of a sheet; undefined if it has no headings. */
export function checkSheet(sheet: Sheet, { references, percentiles, ranges }: ReferenceData): CheckedSheet | undefined {
  const outcome = readingOf(sheet, references, percentiles);
  const read = readings.get(sheet)?.read ?? readRows(sheet, references, percentiles);
  if (read === undefined) return undefined;
  readings.set(sheet, { references, percentiles, outcome, read });
  const rows = read.rows.map((row) => {
    if (row.item === null) return row;
    const outOfRange = rangeWarnings(row.item, references, ranges.get(polymersOf(row.item)) ?? {});
    if (outOfRange.length === 0) return row;
    const warnings = outOfRange.map(({ path, text }) => ({ column: columnOfPath(read.columns, path), text }));
    return { ...row, warnings: [...row.warnings, ...warnings] };
  });
  return { ...read, rows, ready: read.reading.settled ? rows.filter(({ state }) => state === 'ready') : [] };
}

function readRows(sheet: Sheet, references: References, percentiles: Percentiles | undefined): ReadRows | undefined {
  let reading = readingOf(sheet, references, percentiles);
  // Pasted cells can replace the headings and rows of earlier choices.
  if ('kind' in reading) {
    const unchosen = withTable(sheet, { headingRow: undefined, table: undefined });
    reading = readingOf(unchosen, references, percentiles);
  }
  if ('kind' in reading) return undefined;
  const { headingRow, unitRow } = reading;
  const assumed = new Map(
    reading.notes.flatMap(({ kind, path, reads }) => (kind === 'assumed-unit' ? [[path, reads] as const] : [])),
  );
  const columns = reading.columns.map((column) => {
    const { at, reads, choices } = column;
    const assumedUnit = assumed.get(`${at}${headingRow}`);
    const canChange = reads !== null && (assumedUnit !== undefined || sheet.units?.has(`@${at}`) === true);
    const units = canChange ? unitsOfColumn(reads, references) : choices;
    return { ...column, index: columnAt(at), assumedUnit, units };
  });
  const rowOf = new Map(sheet.rows.map((row) => [row.number, row]));
  const notes = Map.groupBy(reading.notes, ({ path }) => rowAt(path));
  const rows = reading.rows.flatMap(({ row: number, state, reason, item, errors, warnings }): CheckedRow[] => {
    const row = rowOf.get(number);
    // The page shows one table, without its heading row.
    const isOutside = reason === 'other-table' || number <= headingRow || number === unitRow;
    if (row === undefined || isOutside) return [];
    const newRecord =
      item?.recordId === undefined ? [] : [{ column: indexOf(columns, 'experiment_id'), text: NEW_RECORD }];
    const plainWarnings = warnings.map(({ path, message }) => ({ column: columnAt(path), text: plain(message) }));
    return [
      {
        row,
        state,
        reason,
        item,
        errors: errors.map((problem) => ({ column: columnAt(problem.path), ...findingOf(problem) })),
        warnings: [...plainWarnings, ...newRecord],
        notes: notes.get(number) ?? [],
      },
    ];
  });
  return { reading, columns, rows };
}

const NEW_RECORD = 'This row becomes a new record. The existing record does not change.';

/** The page offers the readings of a repair above the list of problems, and other choices next to the problem. */
function findingOf({ code, message, kind, text, choices = [] }: ValidationProblem): Omit<CellFinding, 'column'> {
  if (code === 'SEVERAL_READINGS') return { text: `“${text ?? ''}” has several readings. Choose one above.` };
  if (kind !== undefined || choices.length === 0) return { text: plain(message) };
  return { text: plain(message).replace(/; nearest: .*$/, '.'), near: { cell: text ?? '', choices } };
}

/** Returns a message without the name of its column. */
const plain = (message: string): string => message.replace(/^`[^`]*`: /, '').replaceAll('`', '');

const indexOf = (columns: readonly GridColumn[], name: string): number =>
  columns.find(({ reads }) => reads === name)?.index ?? -1;

function columnOfPath(columns: readonly GridColumn[], path: string): number {
  for (const { reads, index } of columns) {
    if (reads === null) continue;
    const place = memberOfColumn(reads);
    if (place && isWithin(path, `${place.group ?? ''}.${place.member}`)) return index;
    if (path.startsWith('polymer') && reads === 'polymer(s)') return index;
    if (path.startsWith('solvent') && reads === 'solvent(s)') return index;
  }
  return -1;
}

/** Returns whether a path is that of a field or of a member of the field. */
const isWithin = (path: string, field: string): boolean => path === field || path.startsWith(`${field}.`);
