import type { References, UnitEntry } from '../reference/reference.ts';
import { resolveName } from '../reference/reference.ts';
import { nearest } from '../validate/nearest-names.ts';
import { describe, shorten } from '../validate/problems.ts';
import { normalizedColumns } from '../flatten/normalized-columns.ts';
import { assumeUnits, type Percentiles } from './assume-units.ts';
import { columnDimensions, unitsOfColumn } from './column-dimensions.ts';
import { type PlainCell, plainCell, type TableCell } from './parse-cell.ts';
import {
  type HeadingChoice,
  type HeadingReading,
  headingKey,
  numberedColumn,
  readHeading,
  type UnitBelow,
  unitOf,
} from './read-heading.ts';
import { isBlank, type OrientedSheet, type TableRow } from './sheet-grid.ts';
import { type InvalidOption, invalidOption, type SheetOptions } from './sheet-options.ts';
import type { NoteKind, ReadColumn, SheetNote } from './sheet-reading.ts';
import { filledCells, isUnitRow, labelOf, plainText, unitInRow } from './sheet-rows.ts';

/** The headings are among the first filled rows. */
const MAX_TITLE_ROWS = 20;
const MIN_HEADINGS = 2;
const MIN_TRANSPOSED_HEADINGS = 3;
/** The share of other values in a column without a known heading that is a candidate for names. */
const MAX_OTHERS = 0.2;
const MAX_SUGGESTED = 3;

export interface HeadingRow {
  /** The index of the row in the rows of the sheet. */
  readonly index: number;
  readonly count: number;
}

/** Returns a function that tells whether a cell names a column; it remembers equal cells. */
export function headingTest(references: References, { columns }: SheetOptions): (cell: TableCell) => boolean {
  const isHeadingOf = new Map<string, boolean>();
  return (formatted) => {
    const cell = plainCell(formatted);
    if (typeof cell !== 'string') return false;
    const done = isHeadingOf.get(cell);
    if (done !== undefined) return done;
    const { state, candidates, isKnown } = readHeading(cell, undefined, references, false);
    const isHeading = columns.has(cell.trim()) || state === 'read' || (isKnown && candidates.length > 0);
    isHeadingOf.set(cell, isHeading);
    return isHeading;
  };
}

/** Finds the row in which the most cells are headings, among the first 20. A hidden row is found if no other has headings. */
export function findHeadingRow(
  { rows }: OrientedSheet,
  isHeading: (cell: TableCell) => boolean,
): HeadingRow | undefined {
  let best: HeadingRow | undefined;
  let hidden: HeadingRow | undefined;
  for (const [index, row] of rows.slice(0, MAX_TITLE_ROWS).entries()) {
    const { isHidden = false } = row;
    let count = 0;
    for (const cell of row.cells.values()) if (isHeading(cell)) count += 1;
    if (count < MIN_HEADINGS) continue;
    // The headings of a sheet of Origin.
    if (!isHidden && labelOf(row) === 'headings') return { index, count };
    if (count <= ((isHidden ? hidden : best)?.count ?? 0)) continue;
    if (isHidden) hidden = { index, count };
    else best = { index, count };
  }
  return best ?? hidden;
}

/** Returns whether the first column has more headings than any row, and at least three. */
export function isTransposed(
  { rows }: OrientedSheet,
  row: HeadingRow | undefined,
  isHeading: (cell: TableCell) => boolean,
): boolean {
  let first = Infinity;
  for (const { cells } of rows)
    for (const [column, cell] of cells) if (!isBlank(cell) && column < first) first = column;
  let count = 0;
  for (const { cells } of rows) {
    const cell = cells.get(first);
    if (cell !== undefined && isHeading(cell)) count += 1;
  }
  return count >= MIN_TRANSPOSED_HEADINGS && count > (row?.count ?? 0);
}

export interface SheetColumns {
  readonly headingRow: TableRow;
  readonly unitRow: TableRow | undefined;
  readonly body: readonly TableRow[];
  readonly columns: readonly PlacedColumn[];
  /** The notes about headings. */
  readonly notes: readonly SheetNote[];
}

export interface PlacedColumn extends ReadColumn {
  /** The position in the sheet, from 0. */
  readonly index: number;
  readonly unitEntry: UnitEntry | undefined;
  /** The heading without the footnote marks that were dropped. */
  readonly unmarked: string | undefined;
}

/** Reads the headings of a sheet. */
export function readColumns(
  sheet: OrientedSheet,
  headingIndex: number,
  options: SheetOptions,
  references: References,
  percentiles: Percentiles,
): SheetColumns | InvalidOption {
  const headingRow = sheet.rows[headingIndex];
  if (headingRow === undefined) throw new Error('The heading row is not in the sheet.');
  const below = sheet.rows.slice(headingIndex + 1);
  const shown = below.filter(({ isHidden }) => isHidden !== true);
  const unitRow = findUnitRow(shown, references);
  const body = below.filter((row) => row !== unitRow);
  const filled = new Set<number>();
  for (const row of [headingRow, ...body]) for (const [at, cell] of row.cells) if (!isBlank(cell)) filled.add(at);
  const titles = groupTitles(sheet, headingIndex);
  const positions = [...filled].sort((a, b) => a - b);
  const chosen = byHeading(options.columns);
  const units = byHeading(options.units ?? new Map<string, string>());
  let wrongUnit: InvalidOption | undefined;
  const readings = positions.map((index) => {
    // A heading above an empty cell, such as one merged over both heading rows.
    const heading = plainText(headingRow.cells.get(index)) || plainText(titles.above?.cells.get(index));
    const unitBelow = unitRow && unitInRow(unitRow, index, references);
    const text = units.get(`@${sheet.columnName(index)}`) ?? units.get(heading);
    const unit = text === undefined ? undefined : unitOf(references, text);
    const choice = { column: chosen.get(heading) ?? undefined, unit };
    const reading = readGrouped(heading, titles.columns.get(index), unitBelow, references, choice);
    if (text !== undefined) wrongUnit ??= unitProblem(heading, text, unit, reading, references);
    return { index, heading, ...reading };
  });
  const headings = new Set(readings.map(({ heading }) => heading));
  for (const heading of chosen.keys()) {
    if (!headings.has(heading)) return unknownHeading('columns', heading, [...headings]);
  }
  const places = new Set(positions.map((index) => `@${sheet.columnName(index)}`));
  for (const heading of units.keys()) {
    if (!headings.has(heading) && !places.has(heading)) return unknownHeading('units', heading, [...headings]);
  }
  if (wrongUnit !== undefined) return wrongUnit;
  const notes: SheetNote[] = [];
  const note = (index: number, kind: NoteKind, text: string, reads: string): void => {
    notes.push({ path: sheet.address(headingRow.number, index), kind, text: shorten(text), reads });
  };
  const placed = readings.map(({ index, heading, unit, ...reading }): PlacedColumn & { isChosen: boolean } => {
    const choice = chosen.get(heading);
    const isHidden = sheet.hiddenColumns?.has(index) === true;
    if (choice !== null && reading.dropped.length > 0) note(index, 'heading-words', reading.dropped.join(', '), '');
    return {
      at: sheet.columnName(index),
      heading,
      unit: unit?.unit ?? null,
      state: reading.state,
      reads: reading.reads,
      candidates:
        reading.state === 'ask' && !reading.isKnown && choice === undefined
          ? [...new Set([...listsOfValues(body, index, references), ...reading.candidates])]
          : reading.candidates,
      choices: reading.choices,
      reason: reading.reason,
      index,
      unitEntry: unit,
      unmarked: choice === undefined ? reading.unmarked : undefined,
      isChosen: choice !== undefined,
      ...(isHidden && choice === undefined ? hiddenColumn(reading) : {}),
      ...(choice === null ? LEFT_OUT : {}),
    };
  });
  const columns = assumeUnits(withoutRepeats(placed), { body, references, percentiles }, ({ index, heading }, unit) =>
    note(index, 'assumed-unit', heading, unit),
  );
  return { headingRow, unitRow, body, columns, notes };
}

const byHeading = <Choice>(choices: ReadonlyMap<string, Choice>): ReadonlyMap<string, Choice> =>
  new Map([...choices].map(([heading, choice]) => [heading.replace(/\s+/g, ' '), choice]));

/** Finds the unit row: the row below the headings, or one of the labelled rows that follow them in a sheet of Origin. */
function findUnitRow(below: readonly TableRow[], references: References): TableRow | undefined {
  for (const row of below) {
    if (isUnitRow(row, references)) return row;
    if (labelOf(row) === undefined) return undefined;
  }
  return undefined;
}

/** Returns why a column cannot have the unit that the user chose. */
function unitProblem(
  heading: string,
  text: string,
  unit: UnitEntry | undefined,
  { reads, candidates }: HeadingReading,
  references: References,
): InvalidOption | undefined {
  const columns = reads === null ? candidates : [reads];
  const fits = (column: string): boolean =>
    unit !== undefined && columnDimensions(column)?.includes(unit.dimension) === true;
  if (unit !== undefined && (columns.length === 0 || columns.some(fits))) return undefined;
  const units = columns.flatMap((column) => unitsOfColumn(column, references));
  const choices = units.length === 0 ? 'choose a unit of the unit list' : `choose from ${units.join(', ')}`;
  const problem = unit === undefined ? 'which is not in the unit list' : 'which does not fit its field';
  return invalidOption(`\`units\` maps ${describe(heading)} to ${describe(text)}, ${problem}; ${choices}.`);
}

function unknownHeading(parameter: string, heading: string, headings: readonly string[]): InvalidOption {
  const lower = heading.toLowerCase();
  const near = nearest(
    lower,
    headings.map((written) => [written.toLowerCase(), written]),
  );
  const longer = headings.filter((written) => lower !== '' && written.toLowerCase().includes(lower));
  const some = [near, longer, headings].find((names) => names.length > 0) ?? [];
  const names = some.slice(0, MAX_SUGGESTED).map(describe).join(', ');
  return invalidOption(`\`${parameter}\` has the unknown heading ${describe(heading)}; nearest: ${names}.`);
}

const LEFT_OUT = { state: 'left-out', reads: null, candidates: [], choices: [], reason: 'left out by choice' } as const;

function hiddenColumn({ reads, candidates }: Pick<HeadingReading, 'reads' | 'candidates'>) {
  return { ...LEFT_OUT, candidates: reads === null ? candidates : [reads], reason: 'hidden' };
}

/** Reads a heading with the title of its group, which tells the diameter of a needle from that of a fiber. */
function readGrouped(
  heading: string,
  title: string | undefined,
  unitBelow: UnitBelow,
  references: References,
  choice: HeadingChoice,
): HeadingReading {
  const alone = readHeading(heading, unitBelow, references, true, choice);
  if (
    choice.column !== undefined ||
    title === undefined ||
    heading === '' ||
    normalizedColumns.includes(heading.toLowerCase())
  )
    return alone;
  const grouped = readHeading(`${title} ${heading}`, unitBelow, references, false, choice);
  const isGrouped = grouped.state === 'read' || grouped.choices.length > 0;
  if (isGrouped || !alone.hasMeanings || alone.unit !== undefined) return isGrouped ? grouped : alone;
  // "Collector" above "Diameter": the diameter is neither that of the fiber nor that of the needle.
  const { state, reads } = readHeading(title, undefined, references, false);
  if (state !== 'read' || reads === alone.reads || alone.reads === null) return alone;
  return { ...alone, state: 'ask', reads: null, candidates: [alone.reads] };
}

interface GroupTitles {
  /** The row directly above the headings, if it is filled. */
  readonly above: TableRow | undefined;
  readonly columns: ReadonlyMap<number, string>;
}

/** Returns the title of the group above each column: a merged cell, or one text as far as the next one. */
function groupTitles({ rows, merged }: OrientedSheet, headingIndex: number): GroupTitles {
  const columns = new Map<number, string>();
  const above = rows[headingIndex - 1];
  const heading = rows[headingIndex];
  if (above === undefined || heading?.number !== above.number + 1) return { above: undefined, columns };
  const widest = Math.max(-1, ...heading.cells.keys());
  const ranges = new Map(
    merged.filter(({ fromRow }) => fromRow === above.number).map((range) => [range.fromColumn, range.toColumn]),
  );
  const cells = filledCells(above).filter(([, cell]) => typeof plainCell(cell) === 'string');
  for (const [position, [from, cell]] of cells.entries()) {
    const next = cells[position + 1]?.[0] ?? widest + 1;
    const to = Math.min(ranges.get(from) ?? next - 1, next - 1, widest);
    for (let column = from; column <= to; column++) columns.set(column, plainText(cell));
  }
  return { above, columns };
}

/** Returns the columns of names if 80% of the values are names of their list. */
function listsOfValues(body: readonly TableRow[], index: number, references: References): string[] {
  const values: PlainCell[] = [];
  for (const { cells } of body) {
    const cell = cells.get(index);
    if (cell !== undefined && !isBlank(cell)) values.push(plainCell(cell));
  }
  const isList = (list: 'polymers' | 'solvents'): boolean => {
    let others = 0;
    for (const value of values) {
      if (typeof value === 'string' && resolveName(references, list, value).kind === 'found') continue;
      others += 1;
      // Stops early, because a look-up is slow.
      if (others > MAX_OTHERS * values.length) return false;
    }
    return values.length > 0;
  };
  return [...(isList('polymers') ? ['polymer(s)'] : []), ...(isList('solvents') ? ['solvent(s)'] : [])];
}

/** Asks for each of several columns with one meaning, except numbered components and a column that the user chose. */
function withoutRepeats(columns: readonly (PlacedColumn & { isChosen: boolean })[]): PlacedColumn[] {
  const byField = new Map<string, (PlacedColumn & { isChosen: boolean })[]>();
  for (const column of columns) {
    if (column.reads !== null) byField.set(column.reads, [...(byField.get(column.reads) ?? []), column]);
  }
  return columns.map(({ isChosen, ...column }) => {
    const same = column.reads === null ? [] : (byField.get(column.reads) ?? []);
    const chosen = same.filter((other) => other.isChosen).length;
    const isNumbered = same.every(({ heading }) => numberedColumn(headingKey(heading)) !== undefined);
    if (column.reads === null || same.length < 2 || isNumbered || (chosen === 1 && isChosen)) return column;
    const reason = `several columns for ${column.reads}`;
    return { ...column, state: 'ask', reads: null, candidates: [column.reads], reason };
  });
}
