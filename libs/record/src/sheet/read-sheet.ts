import type { Cell } from '../flatten/flatten.ts';
import type { References, UnitEntry } from '../reference/reference.ts';
import { convert, withUnit } from '../units/units.ts';
import { missingFields } from '../validate/missing-fields.ts';
import {
  describe,
  MAX_PROBLEMS,
  type ProblemCode,
  ProblemList,
  shorten,
  type ValidationProblem,
} from '../validate/problems.ts';
import type { Percentiles } from './assume-units.ts';
import { addMarks, cleanText } from './number-text.ts';
import { isFormatted, plainCell, type TableCell } from './parse-cell.ts';
import { ParsedRow } from './parse-row.ts';
import {
  type CellColumn,
  cellReader,
  columnKind,
  isEmptyWord,
  SPREAD,
  SPREAD_OF,
  SPREAD_UNIT,
  unreadableError,
} from './read-cell.ts';
import { findHeadingRow, headingTest, isTransposed, readColumns } from './read-columns.ts';
import { MOLECULAR_WEIGHT } from './column-dimensions.ts';
import { headingKey, unitOf } from './read-heading.ts';
import { readFormatted, readMarked, readText, readUnmarked } from './read-formatted-cell.ts';
import { readComponents } from './read-components.ts';
import { type DetailReading, molecularWeightIn } from './read-molecular-weight.ts';
import { namesReader, readShares, type Shares } from './read-names-cell.ts';
import { ABSENT, type CellReading, MAX_NUMBER_LENGTH, type Spread } from './read-number-cell.ts';
import {
  asRows,
  isBlank,
  type MergedRange,
  type OrientedSheet,
  problemBeyondLimit,
  type SheetGrid,
  type TableRow,
  transposed,
} from './sheet-grid.ts';
import { type InvalidOption, invalidOption, NO_OPTIONS, repairKey, type SheetOptions } from './sheet-options.ts';
import {
  type DecimalMark,
  type NoteKind,
  type PlacedColumn,
  type ReadRow,
  repairChoices,
  type RepairKind,
  type SheetFile,
  type SheetNote,
  type SheetReading,
  type SheetRepair,
  type SheetWarning,
} from './sheet-reading.ts';
import { commentNotes, headingNotes } from './sheet-notes.ts';
import { leftOutReason } from './sheet-rows.ts';
import { shownText } from './unreadable-cell.ts';
import { findTables, firstRows } from './sheet-tables.ts';

/** A sheet without headings, or with too many rows. */
export interface SheetRefusal {
  readonly kind: 'refused';
  readonly hasNoHeadings: boolean;
  readonly problems: readonly ValidationProblem[];
}

/** The maximum number of merged ranges of a row that are reported; the row is an error with the first one. */
const MAX_WIDE_RANGES = 100;

const COUNT = 'fiber_diameter_count';

const WEIGHTS: readonly string[] = ['mass', 'mass_fraction', 'mass_ratio'];

const LISTS = [
  { list: 'polymers', names: 'polymer(s)', components: 'polymer_components', ratio: 'weightRatio' },
  { list: 'solvents', names: 'solvent(s)', components: 'solvent_components', ratio: 'volumeRatio' },
] as const;

type Above = Partial<Record<'polymers' | 'solvents', readonly PlacedText[]>>;

interface ReadyRow {
  readonly read: ReadRow;
  readonly notes: readonly SheetNote[];
  readonly above: Above;
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
  const { headingRow, unitRow, columns } = read;
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
  const reader = new SheetReader(sheet, columns, body, others, references, options);
  const readRows = reader.read(earlier);
  const count = (state: ReadRow['state']): number => readRows.filter((readRow) => readRow.state === state).length;
  return {
    file: { ...file, decimalMark: reader.decimalMark ?? null },
    orientation: sheet.orientation,
    headingRow: headingRow.number,
    unitRow: unitRow?.number ?? null,
    tables: tables.map((one) => ({ headingRow: one.headingRow.number, rows: one.body.length })),
    columns: columns.map(({ index: _, unitEntry: __, unmarked: ___, ...column }) => column),
    rows: readRows,
    notes: [...headingNotes(sheet, read), ...read.notes, ...reader.notes],
    repairs: reader.repairs,
    counts: { rows: body.length, ready: count('ready'), errors: count('error'), leftOut: count('left-out') },
    errorCount: reader.errorCount,
    settled: columns.every(({ state }) => state !== 'ask'),
  };
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

/** The values of a row that become an item, with the positions of their cells. */
interface RowValues {
  readonly row: TableRow;
  readonly cells: Map<string, number>;
  readonly values: Record<string, Cell>;
}

/** The text of a cell, with the position of the cell. */
interface PlacedText {
  readonly at: number;
  readonly text: string;
}

interface Counted extends PlacedText {
  /** The number of measured fibers. */
  readonly count: number;
}

class SheetReader {
  readonly notes: SheetNote[] = [];
  readonly #repairs = new Map<string, SheetRepair & { cells: string[] }>();
  readonly #problems = new ProblemList();
  readonly #sheet: OrientedSheet;
  readonly #references: References;
  readonly #options: SheetOptions;
  readonly #body: readonly TableRow[];
  readonly #reasons: ReadonlyMap<number, string>;
  readonly #columns: readonly CellColumn[];
  readonly #readers: ReadonlyMap<number, (cell: TableCell) => CellReading>;
  readonly #unitOf: (text: string) => UnitEntry | undefined;
  readonly #namesOf: Readonly<Record<'polymers' | 'solvents', ReturnType<typeof namesReader>>>;
  /** The cells of the last row that names a component, for `fill-down`. */
  readonly #above: Above = {};
  /** The positions of cells that repeat a vertically merged cell, by row. */
  readonly #filled = new Map<number, Map<number, TableCell>>();
  readonly #merged = new Map<number, Set<number>>();
  readonly #wide = new Map<number, MergedRange[]>();
  readonly decimalMark: DecimalMark | undefined;

  constructor(
    sheet: OrientedSheet,
    columns: readonly PlacedColumn[],
    body: readonly TableRow[],
    /** The rows of the tables that are not read. */
    others: ReadonlySet<TableRow>,
    references: References,
    options: SheetOptions,
  ) {
    this.#sheet = sheet;
    this.#references = references;
    this.#options = options;
    this.#body = body;
    this.#columns = columns.flatMap(({ index, reads, heading, unitEntry }) =>
      reads === null ? [] : [{ at: index, column: reads, heading, unit: unitEntry }],
    );
    const isRead = new Set(this.#columns.map(({ at }) => at));
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
    this.#fillMerged();
    const units = new Map<string, UnitEntry | undefined>();
    const knownUnit = (text: string): UnitEntry | undefined => {
      if (!units.has(text)) units.set(text, unitOf(references, text));
      return units.get(text);
    };
    this.decimalMark = this.#findMark();
    this.#readers = new Map(
      this.#columns.map((column) => [column.at, cellReader(column, this.decimalMark, references, knownUnit)]),
    );
    this.#unitOf = knownUnit;
    this.#namesOf = { polymers: namesReader('polymers', references), solvents: namesReader('solvents', references) };
  }

  get repairs(): SheetRepair[] {
    return [...this.#repairs.values()];
  }

  get errorCount(): number {
    return this.#problems.count;
  }

  /** Reads all rows. The response lists at most 1,000 problems, errors before warnings. */
  read(earlier: ReadyRows): ReadRow[] {
    const { accept, acceptAt = [] } = this.#options;
    const context = [this.#sheet.address(1), this.#columns, this.decimalMark, [...accept], [...acceptAt]];
    // A merged cell makes a row depend on others.
    const hasMerged = this.#sheet.merged.length > 0;
    const ready = (hasMerged ? new ReadyRows() : earlier).of(this.#references, JSON.stringify(context));
    const rows = this.#body.map((row) => this.#reuseOrRead(row, ready));
    let left = MAX_PROBLEMS - this.#problems.problems.length;
    return rows.map((row) => {
      const warnings = row.warnings.slice(0, left);
      left -= warnings.length;
      return { ...row, warnings };
    });
  }

  /** Repeats vertically merged cells in each row of their range; collects the horizontally merged ones. */
  #fillMerged(): void {
    const byNumber = new Map(this.#body.map((row, index) => [row.number, index]));
    const firstNumber = this.#body[0]?.number ?? Infinity;
    const lastNumber = this.#body.at(-1)?.number ?? 0;
    for (const range of this.#sheet.merged) {
      const from = Math.max(range.fromRow, firstNumber);
      const to = Math.min(range.toRow, lastNumber);
      const isWide = range.toColumn > range.fromColumn;
      const source = this.#body[byNumber.get(range.fromRow) ?? -1]?.cells.get(range.fromColumn);
      for (let number = from; number <= to; number++) {
        const row = this.#body[byNumber.get(number) ?? -1];
        if (row === undefined) continue;
        if (isWide) {
          const ranges = this.#wide.get(number) ?? [];
          if (ranges.length < MAX_WIDE_RANGES) ranges.push(range);
          this.#wide.set(number, ranges);
        } else if (source !== undefined && !isBlank(source)) {
          if (isBlank(row.cells.get(range.fromColumn))) {
            const cells = this.#filled.get(number) ?? new Map<number, TableCell>();
            this.#filled.set(number, cells.set(range.fromColumn, source));
          }
          this.#merged.set(number, (this.#merged.get(number) ?? new Set<number>()).add(range.fromColumn));
        }
      }
    }
  }

  #cell(row: TableRow, at: number): TableCell | undefined {
    const cell = row.cells.get(at);
    return isBlank(cell) ? this.#filled.get(row.number)?.get(at) : cell;
  }

  /** Returns the decimal mark that all unambiguous text numbers share. */
  #findMark(): DecimalMark | undefined {
    const marks = new Set<DecimalMark>();
    for (const { at, column } of this.#columns) {
      if (columnKind(column) !== 'number') continue;
      for (const row of this.#body) {
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
  #reuseOrRead(row: TableRow, ready: WeakMap<TableRow, ReadyRow>): ReadRow {
    const earlier = this.#reasons.has(row.number) ? undefined : ready.get(row);
    if (earlier !== undefined) {
      this.notes.push(...earlier.notes);
      Object.assign(this.#above, earlier.above);
      return earlier.read;
    }
    const noteCount = this.notes.length;
    const before = { ...this.#above };
    const read = this.#readRow(row);
    const named = LISTS.filter(({ names }) => this.#columns.some(({ column }) => column === names));
    // A row without a name of its own depends on a row above.
    const isAlone = named.every(({ list }) => this.#above[list] !== before[list]);
    if (read.state === 'ready' && isAlone)
      ready.set(row, { read, notes: this.notes.slice(noteCount), above: { ...this.#above } });
    return read;
  }

  #readRow(row: TableRow): ReadRow {
    const left = this.#reasons.get(row.number);
    const none = { row: row.number, item: null, errors: [], warnings: [] };
    if (left !== undefined) return { ...none, state: 'left-out', reason: left };
    this.notes.push(...commentNotes(this.#sheet, row, this.#readers));
    const before = this.#problems.problems.length;
    const count = this.#problems.count;
    const rowValues: RowValues = { row, cells: new Map(), values: {} };
    for (const range of this.#wide.get(row.number) ?? []) {
      this.#problems.add(
        () => this.#sheet.rangeAddress(range),
        'INVALID_FORMAT',
        () => 'Cells merged across columns are not supported; unmerge them and fill each cell.',
      );
    }
    this.#readCells(rowValues);
    const isMissing = LISTS.map((list) => this.#readComponents(rowValues, list)).some(Boolean);
    const parts = { references: this.#references, problems: this.#problems, cellName: this.#sheet.address };
    const parsed = new ParsedRow(row.number, rowValues.cells, rowValues.values, parts);
    const item = rowValues.cells.size === 0 ? undefined : parsed.read();
    if (item !== undefined && !isMissing) this.#reportMissing(rowValues, missingFields(item));
    const errors = this.#problems.problems.slice(before);
    return item === undefined || this.#problems.count > count
      ? { ...none, state: 'error', reason: null, errors }
      : {
          row: row.number,
          state: 'ready',
          reason: null,
          item,
          errors,
          warnings: parsed.warnings satisfies SheetWarning[],
        };
  }

  /** Reads all cells of a row except those of components. */
  #readCells({ row, cells, values }: RowValues): void {
    let spread: (Spread & PlacedText) | undefined;
    let counted: Counted | undefined;
    for (const { at, column } of this.#columns) {
      const kind = columnKind(column);
      const cell = this.#cell(row, at);
      const reader = this.#readers.get(at);
      const isComponent = kind === 'names' || kind === 'shares' || column === MOLECULAR_WEIGHT;
      if (isComponent || cell === undefined || isBlank(cell) || reader === undefined) continue;
      const reading = this.#settle(row, { at, column, text: cellText(cell) }, reader(cell));
      if (reading === undefined) continue;
      cells.set(column, at);
      values[column] = reading.value;
      if (reading.count !== undefined) counted = { count: reading.count, at, text: cellText(cell) };
      if (reading.spread !== undefined) spread = { ...reading.spread, at, text: cellText(cell) };
    }
    this.#addDiameterUnit({ row, cells, values });
    if (spread !== undefined) this.#addSpread({ row, cells, values }, spread);
    if (counted !== undefined) this.#addCount({ row, cells, values }, counted);
  }

  /** Adds the unit of the diameter to a spread that has none. */
  #addDiameterUnit({ row, cells, values }: RowValues): void {
    const spread = values[SPREAD];
    const at = cells.get(SPREAD);
    if (typeof spread !== 'number' || at === undefined || this.#hasUnitColumn(SPREAD)) return;
    const [, ofCell] = /^\S+ (.+)$/.exec(String(values[SPREAD_OF])) ?? [];
    const ofColumn = this.#columns.find(({ column }) => column === SPREAD_OF)?.unit?.unit;
    const text = withUnit(spread, String(values[`${SPREAD_OF}_unit`] ?? ofCell ?? ofColumn ?? SPREAD_UNIT));
    values[SPREAD] = text;
    this.#note(row, at, 'unit-of-diameter', cellText(this.#cell(row, at) ?? ''), text);
  }

  #hasUnitColumn(name: string): boolean {
    return this.#columns.some(({ column }) => column === `${name}_unit`);
  }

  /** Adds the spread of a diameter as the variation, unless the row has another one. */
  #addSpread({ row, cells, values }: RowValues, spread: Spread & PlacedText): void {
    const stated = values[SPREAD];
    const text = `${spread.value} ${spread.unit}`;
    if (stated === undefined) {
      const hasCell = this.#columns.some(({ at, column }) => column === SPREAD && this.#hasValue(row, at));
      if (hasCell) return;
      values[SPREAD] = text;
      cells.set(SPREAD, spread.at);
      return;
    }
    const unitCell = values[`${SPREAD}_unit`];
    const written = typeof stated === 'number' && typeof unitCell === 'string' ? `${stated} ${unitCell}` : stated;
    if (this.#sameQuantity(written, spread)) return;
    this.#fail(
      row,
      { at: spread.at, column: SPREAD_OF, text: spread.text },
      'CONFLICTING_MEMBERS',
      `The variation ${describe(text)} contradicts ${describe(written)} in \`${SPREAD}\`; leave one of them out.`,
    );
  }

  /** Adds the number of measured fibers of a diameter, unless the row has another one. */
  #addCount({ row, cells, values }: RowValues, { count, at, text }: Counted): void {
    const stated = values[COUNT];
    if (stated === undefined) {
      const hasCell = this.#columns.some(({ at: other, column }) => column === COUNT && this.#hasValue(row, other));
      if (hasCell) return;
      values[COUNT] = count;
      cells.set(COUNT, at);
    } else if (Number(stated) !== count) {
      const message = `The count ${count} contradicts ${describe(stated)} in \`${COUNT}\`; leave one of them out.`;
      this.#fail(row, { at, column: SPREAD_OF, text }, 'CONFLICTING_MEMBERS', message);
    }
  }

  #sameQuantity(cell: Cell, { value, unit }: Spread): boolean {
    if (typeof cell === 'number') return cell === value;
    const [, number = '', unitText = ''] = /^(\S+) (.+)$/.exec(String(cell)) ?? [];
    const from = unitOf(this.#references, unitText);
    const to = unitOf(this.#references, unit);
    return from !== undefined && to !== undefined && convert(Number(number), from, to) === value;
  }

  /** Returns whether a cell has a value, even one that was not read because of an error or an open choice. */
  #hasValue(row: TableRow, at: number): boolean {
    const cell = this.#cell(row, at);
    return cell !== undefined && !isBlank(cell) && !isEmptyWord(cleanText(cellText(cell)));
  }

  /**
   * Reads the names and shares of a row into its components. Returns whether a name is missing or has an error, so that
   * it is not reported again.
   */
  #readComponents(rowValues: RowValues, { list, names, components, ratio }: (typeof LISTS)[number]): boolean {
    const { row, cells, values } = rowValues;
    const nameColumns = this.#columns.filter(({ column }) => column === names);
    const shareColumn = this.#columns.find(({ column }) => column === components);
    const shareCell = shareColumn && this.#cell(row, shareColumn.at);
    const shareText = shareCell === undefined || isBlank(shareCell) ? undefined : cellText(shareCell).trim();
    const isJson = shareText?.startsWith('[') === true;
    let written = this.#nameCells(row, names);
    if (isJson && shareColumn !== undefined) {
      const weight = this.#weightCell(row, list);
      if (weight !== undefined) {
        const message = `The molecular weight belongs to \`${components}\`, which this row has; leave this cell empty.`;
        this.#fail(row, weight, 'CONFLICTING_MEMBERS', message);
      }
      cells.set(components, shareColumn.at);
      values[components] = shareText;
      const [nameCell, ...others] = written.cells;
      if (nameCell !== undefined && others.length === 0) {
        cells.set(names, nameCell.at);
        values[names] = nameCell.text;
      }
      return written.hasError;
    }
    const [firstColumn] = nameColumns;
    const above = this.#above[list];
    if (written.cells.length > 0) this.#above[list] = written.cells;
    else if (firstColumn !== undefined && !written.hasError && !written.hasWord) {
      if (above === undefined) {
        if (list === 'solvents') this.#failMissing(row, firstColumn, 'Name the solvent.');
        else this.#failMissing(row, firstColumn, 'Name the polymer.');
        return true;
      }
      const reads = above.map(({ text }) => text).join(', ');
      const choices = [{ choice: 'fill-down', reads, result: { ...ABSENT, reads } }];
      const message = `The name is missing; the row above has ${describe(reads)}.`;
      const place = { at: firstColumn.at, column: names, text: '' };
      const filled = this.#settle(row, place, {
        kind: 'error',
        code: 'MISSING_VALUE',
        message,
        repair: 'blank-name',
        choices,
      });
      if (filled === undefined) return true;
      written = { ...written, cells: above };
    }
    if (written.hasError) return true;
    const componentNames = this.#namesIn(row, list, names, written.cells);
    if (componentNames === undefined) return true;
    const shares = this.#sharesOf(row, { shareColumn, shareText, shareCell }, componentNames.shares);
    if (shares === 'error') return true;
    if (shares !== undefined && shares.values.length !== componentNames.names.length) {
      const message = `${shares.values.length} shares do not match ${componentNames.names.length} names; write one share for each name.`;
      this.#fail(row, { at: shares.at, column: shares.column, text: shares.text }, 'INVALID_FORMAT', message);
      return true;
    }
    const [first] = written.cells;
    if (componentNames.names.length === 0 || first === undefined) {
      if (list !== 'polymers') return false;
      this.#failMissing(row, firstColumn, 'Name the polymer.');
      return true;
    }
    const weights = this.#weightsOf(row, list, componentNames);
    if (weights === 'error') return true;
    const isAlone = shares?.column === names && shares.values.length === 1;
    if (
      shares !== undefined &&
      (isAlone || shares.unit === undefined || (shares.unit === '%' && shares.column === names))
    ) {
      const reads = componentNames.names.map((name, at) => `${name} ${shares.values[at] ?? ''}`.trim()).join(', ');
      this.#note(row, shares.at, isAlone ? 'share-alone' : 'ratio-basis', shares.text, reads);
    }
    const unit = shares?.unit === undefined ? undefined : this.#unitOf(shares.unit);
    const member = list === 'solvents' && unit !== undefined && WEIGHTS.includes(unit.dimension) ? 'weight' : ratio;
    cells.set(components, shares?.at ?? first.at);
    values[components] = JSON.stringify(
      componentNames.names.map((name, at) => ({
        name,
        ...(shares?.values[at] === undefined ? {} : { [member]: shares.values[at] }),
        ...(shares?.values[at] === undefined || shares.unit === undefined ? {} : { [`${member}Unit`]: shares.unit }),
        ...weights[at],
      })),
    );
    return false;
  }

  /** Returns the name cells of a row with their text; reports unreadable ones and notes empty words. */
  #nameCells(row: TableRow, names: string): { cells: readonly PlacedText[]; hasError: boolean; hasWord: boolean } {
    const cells: PlacedText[] = [];
    let hasError = false;
    let hasWord = false;
    for (const { at, column } of this.#columns) {
      if (column !== names) continue;
      const cell = this.#cell(row, at);
      if (cell === undefined || isBlank(cell)) continue;
      const { count } = this.#problems;
      const place = { at, column, text: cellText(cell) };
      const text = this.#readText(row, place, cell, true, (written) => readUnmarked(written, readText));
      if (text !== undefined) cells.push({ at, text });
      else if (this.#problems.count > count) hasError = true;
      else hasWord = true;
    }
    return { cells, hasError, hasWord };
  }

  /** Reads the text of names or shares; undefined for an absent text or a reported problem. */
  #readText(
    row: TableRow,
    place: Place,
    cell: TableCell,
    isText: boolean,
    read: (text: string) => CellReading,
  ): string | undefined {
    const reading = readFormatted(cell, isText, (plain) => {
      const unreadable = unreadableError(plain);
      if (unreadable !== undefined || typeof plain === 'object') return unreadable ?? ABSENT;
      const text = cleanText(String(plain));
      return isEmptyWord(text) ? { ...ABSENT, notes: ['empty-word'] } : read(text);
    });
    const settled = this.#settle(row, place, reading);
    return settled && String(settled.value);
  }

  #namesIn(
    row: TableRow,
    list: 'polymers' | 'solvents',
    column: string,
    cells: readonly PlacedText[],
  ): ComponentNames | undefined {
    const names: string[] = [];
    const details: (PlacedDetail | undefined)[] = [];
    let shares: PlacedShares | undefined;
    for (const { at, text } of cells) {
      const place = { at, column, text };
      const reading = readComponents(text, list, this.#references, this.#namesOf[list], cells.length === 1);
      if (reading.kind === 'error') {
        this.#settle(row, place, reading);
        return undefined;
      }
      if (reading.shares !== undefined) shares = { ...reading.shares, ...place };
      names.push(...reading.names);
      details.push(...reading.names.map((_, index) => placedDetail(reading.details[index], place)));
    }
    return { names, details, ...(shares === undefined ? {} : { shares }) };
  }

  /** Returns the cell with the molecular weight of a polymer. */
  #weightCell(row: TableRow, list: 'polymers' | 'solvents'): (Place & { readonly cell: TableCell }) | undefined {
    const weightColumn = list === 'polymers' && this.#columns.find(({ column }) => column === MOLECULAR_WEIGHT);
    const cell = weightColumn ? this.#cell(row, weightColumn.at) : undefined;
    if (!weightColumn || cell === undefined || isBlank(cell)) return undefined;
    return { at: weightColumn.at, column: MOLECULAR_WEIGHT, text: cellText(cell), cell };
  }

  /** Reads the molecular weights in the details of names and in their own column; notes the other details. */
  #weightsOf(
    row: TableRow,
    list: 'polymers' | 'solvents',
    { names, details }: ComponentNames,
  ): readonly (Readonly<Record<string, Cell>> | undefined)[] | 'error' {
    const { count } = this.#problems;
    const context = { mark: this.decimalMark, unitOf: this.#unitOf };
    const stated = details.map((placed, at) => {
      if (placed === undefined) return undefined;
      const { detail, ...place } = placed;
      const found: DetailReading =
        list === 'polymers' ? molecularWeightIn(detail, context) : { molecularWeight: undefined, hasRest: true };
      if (found.hasRest) this.#note(row, place.at, 'name-detail', place.text, names[at] ?? '');
      return found.molecularWeight && this.#settle(row, place, found.molecularWeight)?.value;
    });
    const own = this.#weightCell(row, list);
    const value = own && this.#settle(row, own, this.#readers.get(own.at)?.(own.cell) ?? ABSENT)?.value;
    if (own !== undefined && value !== undefined) {
      const [before] = stated;
      const shown = describe(own.text);
      if (names.length > 1) {
        const message = `The molecular weight ${shown} does not state its polymer; write it behind the name, as in PVA (89 kDa).`;
        this.#fail(row, own, 'INVALID_FORMAT', message);
      } else if (before !== undefined && !this.#sameQuantity(before, quantityIn(value))) {
        const message = `The molecular weight ${shown} contradicts ${describe(before)}; leave one of them out.`;
        this.#fail(row, own, 'CONFLICTING_MEMBERS', message);
      } else stated[0] = value;
    }
    if (this.#problems.count > count) return 'error';
    return stated.map((text) => {
      if (text === undefined) return undefined;
      const { value: molecularWeight, unit: molecularWeightUnit } = quantityIn(text);
      return { molecularWeight, molecularWeightUnit };
    });
  }

  /** Reads the column of shares; those in the cell of the names have to agree with it. */
  #sharesOf(
    row: TableRow,
    {
      shareColumn,
      shareText,
      shareCell,
    }: { shareColumn: CellColumn | undefined; shareText: string | undefined; shareCell: TableCell | undefined },
    inNames: PlacedShares | undefined,
  ): PlacedShares | undefined | 'error' {
    if (shareColumn === undefined || shareText === undefined || shareCell === undefined) return inNames;
    const { at, column, unit } = shareColumn;
    const place = { at, column, text: shareText };
    const { count } = this.#problems;
    const text = this.#readText(row, place, shareCell, false, readMarked);
    if (text === undefined) return this.#problems.count > count ? 'error' : inNames;
    const shares = readShares(text);
    if (shares === undefined) {
      this.#fail(row, place, 'INVALID_FORMAT', `Expected shares such as 3:1, got ${describe(shareText)}.`);
      return 'error';
    }
    if (inNames !== undefined && inNames.values.join(':') !== shares.values.join(':')) {
      const message = `The shares ${describe(shareText)} contradict ${describe(inNames.text)}; leave one of them out.`;
      this.#fail(row, place, 'CONFLICTING_MEMBERS', message);
      return 'error';
    }
    return { values: shares.values, unit: shares.unit ?? unit?.unit ?? inNames?.unit, ...place };
  }

  #reportMissing({ row, cells }: RowValues, missing: readonly string[]): void {
    for (const path of missing) {
      const isPolymer = path.startsWith('polymer');
      const { names, components } = isPolymer ? LISTS[0] : LISTS[1];
      const at = cells.get(components) ?? cells.get(names);
      this.#problems.add(
        () => this.#sheet.address(row.number, at),
        'MISSING_VALUE',
        () => (isPolymer ? 'Name the polymer.' : 'Name the solvent.'),
      );
    }
  }

  #failMissing(row: TableRow, column: CellColumn | undefined, message: string): void {
    this.#problems.add(
      () => this.#sheet.address(row.number, column?.at),
      'MISSING_VALUE',
      () => (column === undefined ? message : `\`${column.column}\`: ${message}`),
    );
  }

  #fail(row: TableRow, { at, column, text }: Place, code: ProblemCode, message: string): void {
    this.#problems.add(
      () => this.#sheet.address(row.number, at),
      code,
      () => `\`${column}\`: ${message}`,
      { text: shorten(text) },
    );
  }

  #note(row: TableRow, at: number, kind: NoteKind, text: string, reads: string): void {
    this.notes.push({
      path: this.#sheet.address(row.number, at),
      kind,
      text: shorten(text),
      reads: shorten(reads),
    });
  }

  /**
   * Applies the choices of the user to the reading of a cell. Returns a value, or undefined for an absent value or a
   * reported problem.
   */
  #settle(row: TableRow, place: Place, reading: CellReading): Extract<CellReading, { kind: 'value' }> | undefined {
    const { at, text } = place;
    let settled = reading;
    while (settled.kind !== 'value') {
      const { repair } = settled;
      const accepted = repair === undefined ? undefined : this.#accepted(repair, at);
      const choices = settled.choices ?? [];
      const choice = choices.find((option) => option.choice === accepted);
      if (repair === undefined || choice === undefined) {
        this.#reportOpen(row, place, settled);
        return undefined;
      }
      this.#note(row, at, repair, text, choice.reads);
      settled = settled.kind === 'several' ? resultOf(settled, choice.choice) : { ...ABSENT, reads: choice.reads };
      // The row above replaces an empty name.
      if (repair === 'blank-name') return settled.kind === 'value' ? settled : undefined;
    }
    for (const kind of settled.notes) this.#note(row, at, kind, text, settled.reads);
    if (settled.value === undefined) return undefined;
    if (this.#merged.get(row.number)?.has(at) === true) this.#note(row, at, 'merged', text, settled.reads);
    return settled;
  }

  #accepted(kind: RepairKind, at: number): string | undefined {
    const { accept, acceptAt } = this.#options;
    return acceptAt?.get(repairKey(kind, this.#sheet.columnName(at))) ?? accept.get(kind);
  }

  /** Reports an error or several readings, and lists the repair. */
  #reportOpen(row: TableRow, { at, column, text }: Place, reading: Exclude<CellReading, { kind: 'value' }>): void {
    const choices = (reading.choices ?? []).map(({ choice, reads }) => ({ choice, reads }));
    const { repair } = reading;
    this.#problems.add(
      () => this.#sheet.address(row.number, at),
      reading.kind === 'several' ? 'SEVERAL_READINGS' : reading.code,
      () => {
        if (reading.kind === 'error') return `\`${column}\`: ${reading.message}`;
        const ways = choices.map(({ choice, reads }) => (reads === '' ? choice : `${choice} (${reads})`)).join(', ');
        return `\`${column}\`: The cell ${describe(text)} has several readings: ${ways}. Choose one.`;
      },
      {
        ...(repair === undefined ? {} : { kind: repair }),
        text: shorten(text),
        ...(choices.length === 0 ? {} : { choices }),
      },
    );
    if (repair !== undefined)
      this.#addRepair(
        repair,
        row,
        at,
        choices.map(({ choice }) => choice),
      );
  }

  #addRepair(kind: RepairKind, row: TableRow, at: number, choices: readonly string[]): void {
    const key = `${kind} ${at}`;
    const { cells = [], choices: known = choices } = this.#repairs.get(key) ?? {};
    cells.push(this.#sheet.cellName(row.number, at));
    // The cells of one kind can have different choices.
    const all =
      known.length === choices.length
        ? known
        : repairChoices[kind].filter((choice) => [...known, ...choices].includes(choice));
    this.#repairs.set(key, { kind, at: this.#sheet.columnName(at), cells, choices: all });
  }
}

interface Place {
  readonly at: number;
  readonly column: string;
  /** As written. */
  readonly text: string;
}

type PlacedShares = Shares & Place;
type PlacedDetail = Place & { readonly detail: string };

interface ComponentNames {
  readonly names: readonly string[];
  readonly details: readonly (PlacedDetail | undefined)[];
  readonly shares?: PlacedShares;
}

const placedDetail = (detail: string | undefined, place: Place): PlacedDetail | undefined =>
  detail === undefined ? undefined : { ...place, detail };

/** Returns the number and the unit of a text such as `89 kDa`. */
function quantityIn(text: Cell): Spread {
  const [, number = '', unit = ''] = /^(\S+) (.+)$/.exec(String(text)) ?? [];
  return { value: Number(number), unit };
}

function resultOf({ choices }: Extract<CellReading, { kind: 'several' }>, choice: string): CellReading {
  return choices.find((option) => option.choice === choice)?.result ?? ABSENT;
}

/** Returns the text of a cell as written. */
function cellText(cell: TableCell): string {
  return typeof plainCell(cell) === 'object' ? '' : shownText(cell);
}
