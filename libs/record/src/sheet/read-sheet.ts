import { summaries } from '../flatten/flatten.ts';
import type { References, UnitEntry } from '../reference/reference.ts';
import { withUnit } from '../units/units.ts';
import { missingFields } from '../validate/missing-fields.ts';
import { describe, MAX_PROBLEMS, type ValidationProblem } from '../validate/problems.ts';
import type { Percentiles } from './assume-units.ts';
import { isSameQuantity, quantityIn, type ValueReading } from './cell-reading.ts';
import { ComponentReader, type ReaderParts, type RowValues } from './component-reader.ts';
import { addMarks, cleanText } from './number-text.ts';
import { isFormatted, plainCell } from './parse-cell.ts';
import { ParsedRow } from './parse-row.ts';
import { type CellColumn, cellReader, hasNumbers, isOfComponents, SPREAD, SPREAD_OF } from './read-cell.ts';
import { findHeadingRow, headingTest, isTransposed, readColumns } from './read-columns.ts';
import { isEmptyWord } from './read-formatted-cell.ts';
import { headingKey, unitOf } from './read-heading.ts';
import { MAX_NUMBER_LENGTH, SPREAD_UNIT } from './read-number-cell.ts';
import { fillMerged, readInRow, type RowToRead, withDittos } from './rows-to-read.ts';
import {
  asRows,
  type OrientedSheet,
  problemBeyondLimit,
  type SheetGrid,
  type TableRow,
  transposed,
} from './sheet-grid.ts';
import { commentNotes } from './sheet-notes.ts';
import { type InvalidOption, invalidOption, NO_OPTIONS, type SheetOptions } from './sheet-options.ts';
import type {
  DecimalMark,
  PlacedColumn,
  ReadColumn,
  ReadRow,
  SheetFile,
  SheetNote,
  SheetReading,
  SheetWarning,
} from './sheet-reading.ts';
import { type Place, placedCell, placedCells, SheetReport } from './sheet-report.ts';
import { leftOutReason } from './sheet-rows.ts';
import { findTables, firstRows } from './sheet-tables.ts';

/** A sheet without headings, or with too many rows. */
export interface SheetRefusal {
  readonly kind: 'refused';
  readonly hasNoHeadings: boolean;
  readonly problems: readonly ValidationProblem[];
}

const COUNT = 'fiber_diameter_count';

interface ReadyRow {
  readonly read: ReadRow;
  readonly notes: readonly SheetNote[];
  /** The cells above, for `fill-down`, after this row. */
  readonly above: readonly ComponentReader['above'][];
}

/**
 * Rows without a problem, from earlier readings. A page reads its sheet again after each change, and the rows take most
 * of that time. A row is reused if it is the same object, and if columns, choices, and lists are the same.
 */
export class ReadyRows {
  #references: References | undefined;
  #context = '';
  #rows = new WeakMap<TableRow, ReadyRow>();

  /** Returns the rows that were read with these lists and this context. */
  of(references: References, context: string): WeakMap<TableRow, ReadyRow> {
    if (this.#references !== references || this.#context !== context) {
      this.#references = references;
      this.#context = context;
      this.#rows = new WeakMap();
    }
    return this.#rows;
  }
}

/**
 * Reads a sheet as laboratories write it: finds its headings, reads each cell that has one reading, and lists what it
 * read, what it asks, and what it leaves out. The time is linear in the number of cells.
 */
export function readSheet(
  grid: SheetGrid,
  file: SheetFile,
  references: References,
  options: SheetOptions = NO_OPTIONS,
  earlier = new ReadyRows(),
  percentiles: Percentiles = {},
): SheetReading | SheetRefusal | InvalidOption {
  const name = file.sheet ?? undefined;
  const isHeading = headingTest(references, options);
  const rows = asRows(grid, name);
  const { headingRow: chosenRow, table: tableNumber = 1 } = options;
  const row = findHeadingRow(rows, isHeading, references);
  const isTurned = chosenRow === undefined && isTransposed(rows, row, isHeading);
  const sheet = isTurned ? transposed(grid, name) : rows;
  const found = isTurned ? 0 : (row?.index ?? -1);
  const first = chosenRow === undefined ? found : rows.rows.findIndex(({ number }) => number === chosenRow);
  if (first < 0) {
    if (chosenRow !== undefined) return invalidOption(`\`headingRow\` is ${chosenRow}, which is not a filled row.`);
    return withoutHeadings(
      rows,
      1,
      'NO_HEADING_ROW',
      'No row or column of the sheet has two headings that name fields.',
    );
  }
  const tables = findTables(sheet.rows, first, isHeading, options.include, references);
  const table = tables[tableNumber - 1];
  if (table === undefined) {
    return invalidOption(`\`table\` is ${tableNumber}, but the number of tables is ${tables.length}.`);
  }
  const read = readColumns(sheet, table, options, references, percentiles);
  if ('kind' in read) return read;
  const { headingRow, unitRow } = table;
  const { columns } = read;
  if (headingRow.isHidden === true && headingRow.number !== chosenRow) {
    const message = `The heading row is hidden (row ${headingRow.number}).`;
    return withoutHeadings(rows, headingRow.number, 'HIDDEN_HEADING_ROW', message);
  }
  const body = tables.flatMap((other, at) => (at === 0 ? other.body : other.rows));
  const beyond = problemBeyondLimit(body, sheet.address);
  if (beyond !== undefined) return { kind: 'refused', hasNoHeadings: false, problems: [beyond] };
  const numbers = new Set(body.map(({ number }) => number));
  for (const list of ['include', 'exclude'] as const) {
    const other = [...options[list]].find((number) => !numbers.has(number));
    if (other !== undefined) return invalidOption(`\`${list}\` has ${other}, which is not a row below the headings.`);
  }
  const others = new Set(tables.flatMap((other) => (other === table ? [] : other.rows)));
  const report = new SheetReport(sheet, options);
  const reader = new SheetReader(sheet, columns, body, others, references, options, report);
  const readRows = reader.read(earlier);
  const count = (state: ReadRow['state']): number => readRows.filter((readRow) => readRow.state === state).length;
  return {
    file: { ...file, decimalMark: reader.decimalMark ?? null },
    orientation: sheet.orientation,
    headingRow: headingRow.number,
    unitRow: unitRow?.number ?? null,
    tables: tables.map((one) => ({ headingRow: one.headingRow.number, rows: one.body.length })),
    columns: columns.map(responseColumn),
    rows: readRows,
    notes: [...read.notes, ...report.notes],
    repairs: report.repairs,
    counts: { rows: body.length, ready: count('ready'), errors: count('error'), leftOut: count('left-out') },
    errorCount: report.problems.count,
    settled: columns.every(({ state }) => state !== 'ask'),
  };
}

/** Returns a column without the members that only the reader uses. */
function responseColumn({ at, heading, unit, state, reads, candidates, choices, reason }: ReadColumn): ReadColumn {
  return { at, heading, unit, state, reads, candidates, choices, reason };
}

/** Refuses a sheet with its first rows, so that the user can choose that of the headings. */
function withoutHeadings(
  { rows, address }: OrientedSheet,
  row: number,
  code: 'NO_HEADING_ROW' | 'HIDDEN_HEADING_ROW',
  what: string,
): SheetRefusal {
  const message = `${what} Choose the row of the headings with \`headingRow\`.`;
  const problems = [{ path: address(row), code, message, rows: firstRows(rows) }];
  return { kind: 'refused', hasNoHeadings: code === 'NO_HEADING_ROW', problems };
}

class SheetReader {
  readonly #sheet: OrientedSheet;
  readonly #options: SheetOptions;
  readonly #rows: readonly RowToRead[];
  /** Why rows are left out, by their number. */
  readonly #reasons: ReadonlyMap<number, string>;
  readonly #parts: ReaderParts;
  readonly #components: readonly ComponentReader[];
  readonly decimalMark: DecimalMark | undefined;

  constructor(
    sheet: OrientedSheet,
    columns: readonly PlacedColumn[],
    body: readonly TableRow[],
    /** The rows of the tables that are not read. */
    others: ReadonlySet<TableRow>,
    references: References,
    options: SheetOptions,
    report: SheetReport,
  ) {
    this.#sheet = sheet;
    this.#options = options;
    const cellColumns = columns.flatMap(({ index, reads, heading, unitEntry }): CellColumn[] =>
      reads === null ? [] : [{ at: index, column: reads, heading, unit: unitEntry }],
    );
    const isRead = new Set(cellColumns.map(({ at }) => at));
    const headings = new Map(columns.map(({ index, heading }) => [index, headingKey(heading)]));
    const reasons = new Map<number, string>();
    for (const row of body) {
      if (options.include.has(row.number)) continue;
      const reason = options.exclude.has(row.number)
        ? 'excluded'
        : others.has(row)
          ? 'other-table'
          : leftOutReason(row, headings, (column) => isRead.has(column), references);
      if (reason !== undefined) reasons.set(row.number, reason);
    }
    this.#reasons = reasons;
    this.#rows = withDittos(fillMerged(body, sheet.merged), ({ number }) => !reasons.has(number));
    const units = new Map<string, UnitEntry | undefined>();
    const knownUnit = (text: string): UnitEntry | undefined => {
      if (!units.has(text)) units.set(text, unitOf(references, text));
      return units.get(text);
    };
    const mark = this.#findMark(cellColumns);
    const readers = new Map(
      cellColumns.map((column) => [column.at, cellReader(column, mark, references, knownUnit)] as const),
    );
    this.decimalMark = mark;
    this.#parts = { columns: cellColumns, readers, references, report, mark, unitOf: knownUnit };
    this.#components = summaries.map((summary) => new ComponentReader(summary, this.#parts));
  }

  /** Reads all rows. The response lists at most 1,000 problems, errors before warnings. */
  read(earlier: ReadyRows): ReadRow[] {
    const { accept, acceptAt = [] } = this.#options;
    const { columns, references, report } = this.#parts;
    const context = [this.#sheet.address(1), columns, this.decimalMark, [...accept], [...acceptAt]];
    // A merged cell makes a row depend on others.
    const hasMerged = this.#sheet.merged.length > 0;
    const ready = (hasMerged ? new ReadyRows() : earlier).of(references, JSON.stringify(context));
    const rows = this.#rows.map((row) => this.#reuseOrRead(row, ready));
    let left = MAX_PROBLEMS - report.problems.problems.length;
    return rows.map((row) => {
      const warnings = row.warnings.slice(0, left);
      left -= warnings.length;
      return { ...row, warnings };
    });
  }

  /** Returns the decimal mark that all unambiguous text numbers share. */
  #findMark(columns: readonly CellColumn[]): DecimalMark | undefined {
    const marks = new Set<DecimalMark>();
    for (const { at, column } of columns) {
      if (!hasNumbers(column)) continue;
      for (const row of this.#rows) {
        const formatted = row.cells.get(at);
        const isStored = formatted === undefined || (isFormatted(formatted) && formatted.shown !== undefined);
        const cell = isStored ? undefined : plainCell(formatted);
        if (typeof cell !== 'string' || cell.length > MAX_NUMBER_LENGTH || this.#reasons.has(row.number)) continue;
        if (cell.includes('.') || cell.includes(',')) addMarks(cleanText(cell), marks);
      }
    }
    const [mark, other] = marks;
    return other === undefined ? mark : undefined;
  }

  /** Reads a row, or reuses its earlier reading. */
  #reuseOrRead(row: RowToRead, ready: WeakMap<TableRow, ReadyRow>): ReadRow {
    const { notes } = this.#parts.report;
    const earlier = this.#reasons.has(row.number) ? undefined : ready.get(row);
    if (earlier !== undefined) {
      notes.push(...earlier.notes);
      for (const [at, component] of this.#components.entries()) component.above = earlier.above[at];
      return earlier.read;
    }
    const noteCount = notes.length;
    const before = this.#components.map(({ above }) => above);
    const read = this.#readRow(row);
    const above = this.#components.map((component) => component.above);
    // A row without a name of its own, or with a ditto mark, depends on a row above.
    const isAlone = this.#components.every(({ hasNames }, at) => !hasNames || above[at] !== before[at]);
    if (read.state === 'ready' && isAlone && row.above === undefined)
      ready.set(row, { read, notes: notes.slice(noteCount), above });
    return read;
  }

  #readRow(row: RowToRead): ReadRow {
    const left = this.#reasons.get(row.number);
    const none = { row: row.number, item: null, errors: [], warnings: [] };
    if (left !== undefined) return { ...none, state: 'left-out', reason: left };
    const { report, readers, references } = this.#parts;
    const { problems } = report;
    report.notes.push(...commentNotes(this.#sheet, row, readers));
    const before = problems.problems.length;
    const { count } = problems;
    const rowValues: RowValues = { row, cells: new Map(), values: {} };
    for (const range of row.wide ?? []) {
      const message = () => 'Cells merged across columns are not supported; unmerge them and fill each cell.';
      problems.add(() => this.#sheet.rangeAddress(range), 'INVALID_FORMAT', message);
    }
    this.#readCells(rowValues);
    const isMissing = this.#components.map((component) => component.read(rowValues)).some(Boolean);
    const parts = { references, problems, cellName: this.#sheet.address };
    const { cells, values } = rowValues;
    const parsed = new ParsedRow(row.number, cells, values, parts);
    const item = cells.size === 0 ? undefined : parsed.read();
    for (const path of item === undefined || isMissing ? [] : missingFields(item)) {
      const { list, components, names } = path.startsWith('polymer') ? summaries[0] : summaries[1];
      const at = cells.get(components) ?? cells.get(names);
      report.failMissing(row, list, at === undefined ? {} : { at });
    }
    const errors = problems.problems.slice(before);
    if (item === undefined || problems.count > count) return { ...none, state: 'error', reason: null, errors };
    const warnings: readonly SheetWarning[] = parsed.warnings;
    return { row: row.number, state: 'ready', reason: null, item, errors, warnings };
  }

  /** Reads all cells of a row except those of components. */
  #readCells({ row, cells, values }: RowValues): void {
    const { columns, readers, report } = this.#parts;
    let diameter: readonly [place: Place, reading: ValueReading] | undefined;
    for (const column of columns) {
      const place = isOfComponents(column.column) ? undefined : placedCell(row, column);
      const reader = readers.get(column.at);
      if (place === undefined || reader === undefined) continue;
      const reading = report.settle(place, readInRow(row, [place.at, place.cell], reader));
      if (reading === undefined) continue;
      cells.set(place.column, place.at);
      values[place.column] = reading.value;
      if (place.column === SPREAD_OF) diameter = [place, reading];
    }
    this.#addDiameterUnit({ row, cells, values });
    if (diameter === undefined) return;
    const [place, { spread, count }] = diameter;
    if (spread)
      this.#addStated({ row, cells, values }, place, 'variation', [SPREAD, withUnit(spread.value, spread.unit)]);
    if (count !== undefined) this.#addStated({ row, cells, values }, place, 'count', [COUNT, count]);
  }

  /** Adds the unit of the diameter to a spread that has none. */
  #addDiameterUnit({ row, cells, values }: RowValues): void {
    const { columns, report } = this.#parts;
    const spread = values[SPREAD];
    const at = cells.get(SPREAD);
    const hasUnitColumn = columns.some(({ column }) => column === `${SPREAD}_unit`);
    if (typeof spread !== 'number' || at === undefined || hasUnitColumn) return;
    const ofCell = values[SPREAD_OF] === undefined ? '' : quantityIn(values[SPREAD_OF]).unit;
    const ofColumn = columns.find(({ column }) => column === SPREAD_OF)?.unit?.unit;
    const unit = values[`${SPREAD_OF}_unit`] ?? (ofCell === '' ? (ofColumn ?? SPREAD_UNIT) : ofCell);
    const text = withUnit(spread, String(unit));
    values[SPREAD] = text;
    const place = placedCell(row, { at, column: SPREAD });
    if (place) report.note(place, 'unit-of-diameter', text);
  }

  /** Adds a value that the cell of a diameter states, unless the row has another one in its own column. */
  #addStated(
    { row, cells, values }: RowValues,
    place: Place,
    what: string,
    [column, value]: [string, string | number],
  ): void {
    const { columns, report, unitOf: knownUnit } = this.#parts;
    const stated = values[column];
    if (stated === undefined) {
      // The cell of its own column can have an error or an open choice.
      if (placedCells(row, columns, column).some(({ text }) => !isEmptyWord(cleanText(text)))) return;
      values[column] = value;
      cells.set(column, place.at);
      return;
    }
    const unit = values[`${column}_unit`];
    const written = typeof stated === 'number' && typeof unit === 'string' ? `${stated} ${unit}` : stated;
    if (!isSameQuantity(written, value, knownUnit))
      report.failConflict(place, what, value, `${describe(written)} in \`${column}\``);
  }
}
