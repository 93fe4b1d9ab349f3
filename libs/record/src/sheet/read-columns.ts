import { findEntry, type References, type UnitEntry } from '../reference/reference.ts';
import { nearest } from '../validate/nearest-names.ts';
import { describe, shorten } from '../validate/problems.ts';
import { normalizedColumns } from '../flatten/normalized-columns.ts';
import { assumeUnits, type Percentiles } from './assume-units.ts';
import { columnDimensions, unitsOfColumn } from './column-dimensions.ts';
import { type PlainCell, plainCell, type TableCell } from './parse-cell.ts';
import {
  hasHeadingWord,
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
import { headingNotes } from './sheet-notes.ts';
import type { NoteKind, PlacedColumn, SheetNote } from './sheet-reading.ts';
import { filledCells, isValue, labelOf, plainText, unitInRow } from './sheet-rows.ts';
import { countHeadings, type SheetTable } from './sheet-tables.ts';

/** A heading that means the field of its group. */
const MEAN = /^(?:mean|average|avg\.?|mittelwert|平均值?)(?=$|[\s([,]) ?/i;
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
  /** The largest number of headings in one of the first rows. */
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
    let isHeading = columns.has(cell.trim());
    if (!isHeading && hasHeadingWord(cell)) {
      const { state, candidates, isKnown } = readHeading(cell, undefined, references, false);
      isHeading = state === 'read' || (isKnown && candidates.length > 0);
    }
    isHeadingOf.set(cell, isHeading);
    return isHeading;
  };
}

/**
 * Finds the row in which the most cells are headings, among the first 20 and above the first row of data. Below data,
 * another table begins. A hidden row is found if no other has headings.
 */
export function findHeadingRow(
  { rows }: OrientedSheet,
  isHeading: (cell: TableCell) => boolean,
  references: References,
): HeadingRow | undefined {
  let best: { readonly index: number; readonly columns: readonly number[] } | undefined;
  let hidden: HeadingRow | undefined;
  let most = 0;
  let hasData = false;
  for (const [index, row] of rows.slice(0, MAX_TITLE_ROWS).entries()) {
    const columns = [...row.cells].flatMap(([column, cell]) => (isHeading(cell) ? [column] : []));
    const count = columns.length;
    if (row.isHidden === true) {
      if (count >= MIN_HEADINGS && count > (hidden?.count ?? 0)) hidden = { index, count };
      continue;
    }
    // The headings of a sheet of Origin.
    if (count >= MIN_HEADINGS && labelOf(row) === 'headings') return { index, count };
    most = Math.max(most, count);
    if (!hasData && count >= Math.max(MIN_HEADINGS, (best?.columns.length ?? 0) + 1)) best = { index, columns };
    else hasData ||= best?.columns.some((column) => isValue(row.cells.get(column), references)) === true;
  }
  return best === undefined ? hidden : { index: best.index, count: most };
}

/**
 * Returns whether the first column has more different headings than any row, and at least three. Rows of headings do not count,
 * because tables below each other have one each.
 */
export function isTransposed(
  { rows }: OrientedSheet,
  row: HeadingRow | undefined,
  isHeading: (cell: TableCell) => boolean,
): boolean {
  let first = Infinity;
  for (const { cells } of rows)
    for (const [column, cell] of cells) if (!isBlank(cell) && column < first) first = column;
  const headings = new Set<string>();
  for (const other of rows) {
    const cell = other.cells.get(first);
    if (cell !== undefined && isHeading(cell) && countHeadings(other, isHeading) === 0)
      headings.add(headingKey(plainText(cell)));
  }
  return headings.size >= MIN_TRANSPOSED_HEADINGS && headings.size > (row?.count ?? 0);
}

interface SheetColumns {
  readonly columns: readonly PlacedColumn[];
  /** The notes about headings. */
  readonly notes: readonly SheetNote[];
}

/** Reads the headings of a table. */
export function readColumns(
  sheet: OrientedSheet,
  table: SheetTable,
  options: SheetOptions,
  references: References,
  percentiles: Percentiles,
): SheetColumns | InvalidOption {
  const { headingIndex, headingRow, unitRow, body } = table;
  const filled = new Set<number>();
  for (const row of [headingRow, ...body]) for (const [at, cell] of row.cells) if (!isBlank(cell)) filled.add(at);
  const titles = groupTitles(sheet, headingIndex);
  const positions = [...filled].sort((a, b) => a - b);
  const chosen = byHeading(options.columns);
  const units = byHeading(options.units ?? new Map<string, string>());
  const choiceOf = (index: number, heading: string): string | null | undefined => {
    const place = `@${sheet.columnName(index)}`;
    return chosen.has(place) ? chosen.get(place) : chosen.get(heading);
  };
  let wrongUnit: InvalidOption | undefined;
  const readings = positions.map((index) => {
    // A heading above an empty cell, such as one merged over both heading rows.
    const heading = plainText(headingRow.cells.get(index)) || plainText(titles.above?.cells.get(index));
    const unitBelow = unitRow && unitInRow(unitRow, index, references);
    const text = units.get(`@${sheet.columnName(index)}`) ?? units.get(heading);
    const unit = text === undefined ? undefined : unitOf(references, text);
    const choice = { column: choiceOf(index, heading) ?? undefined, unit };
    const reading = readGrouped(heading, titles.columns.get(index), unitBelow, references, choice);
    if (text !== undefined) wrongUnit ??= unitProblem(heading, text, unit, reading, references);
    return { index, heading, ...reading };
  });
  const headings = new Set(readings.map(({ heading }) => heading));
  const places = new Set(positions.map((index) => `@${sheet.columnName(index)}`));
  for (const [parameter, choices] of [['columns', chosen] as const, ['units', units] as const]) {
    for (const key of choices.keys()) {
      const known = key.startsWith('@') ? places : headings;
      if (!headings.has(key) && !places.has(key)) return unknownHeading(parameter, key, [...known]);
    }
  }
  if (wrongUnit !== undefined) return wrongUnit;
  const notes: SheetNote[] = [];
  const note = (index: number, kind: NoteKind, text: string, reads: string): void => {
    notes.push({ path: sheet.address(headingRow.number, index), kind, text: shorten(text), reads });
  };
  const placed = readings.map(({ index, heading, unit, ...reading }): PlacedColumn & { isChosen: boolean } => {
    const at = sheet.columnName(index);
    const choice = choiceOf(index, heading);
    const isHidden = sheet.hiddenColumns?.has(index) === true;
    if (choice !== null && reading.dropped.length > 0) note(index, 'heading-words', reading.dropped.join(', '), '');
    const isOpen = reading.state === 'ask' && !reading.isKnown && choice === undefined;
    const lists = isOpen ? listsOfValues(body, index, references) : [];
    return {
      ...reading,
      at,
      heading,
      unit: unit?.unit ?? null,
      candidates: [...new Set([...lists, ...reading.candidates])],
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
  return { columns, notes: [...headingNotes(sheet, table, columns), ...notes] };
}

const byHeading = <Choice>(choices: ReadonlyMap<string, Choice>): ReadonlyMap<string, Choice> =>
  new Map([...choices].map(([heading, choice]) => [heading.replace(/\s+/g, ' '), choice]));

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
  // "Mean (nm)" below "Fiber diameter"
  const place = heading.replace(MEAN, '');
  const grouped = readHeading(`${title} ${place}`.trim(), unitBelow, references, false, choice);
  const isGrouped = grouped.state === 'read' || grouped.choices.length > 0;
  const [mean] = MEAN.exec(heading) ?? [];
  if (isGrouped)
    return { ...grouped, dropped: mean === undefined ? grouped.dropped : [mean.trim(), ...grouped.dropped] };
  if (!alone.hasMeanings || alone.unit !== undefined) return alone;
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
      if (typeof value === 'string' && findEntry(references, list, value) !== undefined) continue;
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
  const byField = Map.groupBy(columns, ({ reads }) => reads);
  return columns.map(({ isChosen, ...column }) => {
    const same = column.reads === null ? [] : (byField.get(column.reads) ?? []);
    const chosen = same.filter((other) => other.isChosen).length;
    const isNumbered = same.every(({ heading }) => numberedColumn(headingKey(heading)) !== undefined);
    if (column.reads === null || same.length < 2 || isNumbered || (chosen === 1 && isChosen)) return column;
    const reason = `several columns for ${column.reads}`;
    return { ...column, state: 'ask', reads: null, candidates: [column.reads], reason };
  });
}
