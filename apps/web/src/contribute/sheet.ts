import { memberOfColumn } from '@esd/record/flatten/flatten';
import { nearestNames, type References, resolveName } from '@esd/record/reference/reference';
import { csvRows } from '@esd/record/sheet/csv-rows';
import { parseNumber, type TableCell } from '@esd/record/sheet/parse-cell';
import type { ParsedItem } from '@esd/record/sheet/parse-row';
import { openTable } from '@esd/record/sheet/parse-table';
import { splitJoinedNames } from '@esd/record/sheet/split-joined-names';
import { cellOfText, cellText } from '@esd/record/sheet/unreadable-cell';
import { missingFields } from '@esd/record/validate/missing-fields';
import { ProblemList, type ValidationProblem } from '@esd/record/validate/problems';
import { recordWarnings } from '@esd/record/validate/record-warnings';
import { MAX_RECORDS } from '@esd/record/validate/validate-submission';
import { polymersOf, rangeWarnings } from '../range-warnings.ts';
import type { ReferenceData } from './reference-data.ts';
import { numberText, problemText } from './problem-text.ts';
import { columnLabel, fieldOfColumn, headingError, readHeading, type SheetColumn } from './sheet-columns.ts';

export interface SheetRow {
  readonly number: number;
  /** By column index; absent cells are empty. */
  readonly cells: readonly string[];
}

export interface Sheet {
  readonly name: string;
  readonly columns: readonly SheetColumn[];
  readonly rows: readonly SheetRow[];
  /** The number of rows beyond the limit, which were not read. */
  readonly cut: number;
}

/** An error or a warning in a cell; `column` is -1 for the whole row. */
export interface CellFinding {
  readonly column: number;
  readonly text: string;
}

export interface CheckedRow {
  /** The item to send; undefined if there is an error. */
  readonly item: ParsedItem | undefined;
  readonly errors: readonly CellFinding[];
  readonly warnings: readonly CellFinding[];
}

/** Reads CSV or clipboard cells, with the headings in the first row. Throws UnreadableSheet. */
export function readSheet(text: string, name: string, references: References): Sheet {
  const isClipboard = text.includes('\t');
  const [header, ...rows] = [...csvRows(text.replace(/^\uFEFF/, ''), isClipboard ? ['\t'] : undefined)].filter(
    ({ cells }) => [...cells.values()].some((cell) => cellText(cell).trim() !== ''),
  );
  if (header === undefined) return { name, columns: [], rows: [], cut: 0 };
  const width = Math.max(...[header, ...rows].flatMap(({ cells }) => [...cells.keys()])) + 1;
  const textsOf = (cells: ReadonlyMap<number, TableCell>): string[] =>
    Array.from({ length: width }, (_, at) => cellText(cells.get(at) ?? '').trim());
  return {
    name,
    columns: textsOf(header.cells).map((heading) => readHeading(heading, references)),
    rows: rows.slice(0, MAX_RECORDS).map(({ number, cells }) => ({ number, cells: textsOf(cells) })),
    cut: Math.max(0, rows.length - MAX_RECORDS),
  };
}

export function withCell(sheet: Sheet, row: number, column: number, text: string): Sheet {
  return withCells(sheet, row, column, [[text]]);
}

/** Returns the sheet with clipboard cells pasted at a cell. Adds rows as needed. */
export function pasteCells(sheet: Sheet, row: number, column: number, text: string): Sheet {
  const rows = [...csvRows(text, ['\t'])].map(({ cells }) => {
    const width = Math.max(-1, ...cells.keys()) + 1;
    return Array.from({ length: width }, (_, at) => cellText(cells.get(at) ?? '').trim());
  });
  return withCells(sheet, row, column, rows);
}

function withCells(sheet: Sheet, row: number, column: number, texts: readonly (readonly string[])[]): Sheet {
  const rows = [...sheet.rows];
  for (const [down, cells] of texts.entries()) {
    if (row + down >= MAX_RECORDS) break;
    const before = rows[row + down] ?? { number: (rows.at(-1)?.number ?? 1) + 1, cells: [] };
    rows[row + down] = {
      ...before,
      cells: sheet.columns.map((_, at) => cells[at - column] ?? before.cells[at] ?? ''),
    };
  }
  return { ...sheet, rows };
}

export function withColumn(sheet: Sheet, index: number, column: string | null): Sheet {
  return { ...sheet, columns: sheet.columns.map((one, at) => (at === index ? { ...one, column } : one)) };
}

export function checkColumns({ columns }: Sheet): CellFinding[] {
  return columns.flatMap(({ heading, column }, at) => {
    if (column === null) return [];
    if (column === undefined) return [{ column: at, text: headingError(heading) }];
    if (columns.findIndex((other) => other.column === column) === at) return [];
    return [{ column: at, text: `Two columns contain ${columnLabel(column).label}. Leave one out.` }];
  });
}

/** Returns whether a row is empty in all columns that are read. */
export function isEmptyRow({ columns }: Sheet, { cells }: SheetRow): boolean {
  return columns.every(({ column }, at) => typeof column !== 'string' || (cells[at] ?? '') === '');
}

/** Checks a row against the rules of the service for files and against those of the form. */
export function checkRow(sheet: Sheet, row: SheetRow, referenceData: ReferenceData): CheckedRow {
  const { references, ranges } = referenceData;
  const problems = new ProblemList();
  const header = new Map<number, string>();
  for (const [at, { column }] of sheet.columns.entries()) {
    if (typeof column === 'string' && ![...header.values()].includes(column)) header.set(at, column);
  }
  const cells = new Map(
    [...header].flatMap(([at, column]) => {
      const text = withUnit(row.cells[at] ?? '', column, sheet.columns[at]?.unit);
      return text === '' ? [] : [[at, cellOfText(text)] as const];
    }),
  );
  const cellName = (_: number, column = -1): string => String(column);
  const item = openTable({ number: 1, cells: header }, { references, problems, cellName })({ number: 2, cells });
  const errors = problems.problems.map((problem) => {
    const column = Number(problem.path);
    return { column, text: cellError(problem, header.get(column) ?? '', row.cells[column] ?? '', references) };
  });
  for (const [at, column] of header) {
    const field = memberOfColumn(column)?.kind === 'quantity' ? fieldOfColumn(column) : undefined;
    const read = field?.isPositive === true ? parseNumber(row.cells[at]) : undefined;
    if (read !== undefined && 'number' in read && read.number <= 0) {
      errors.push({ column: at, text: 'Enter a number greater than 0' });
    }
  }
  const namesAt = (name: string, components: string): number =>
    [...header].find(([, column]) => column === name || column === components)?.[0] ?? -1;
  const missing = item === undefined ? [] : missingFields(item);
  for (const path of missing) {
    errors.push(
      path.startsWith('polymer')
        ? { column: namesAt('polymer(s)', 'polymer_components'), text: 'Name the polymer' }
        : { column: namesAt('solvent(s)', 'solvent_components'), text: 'Name the solvent' },
    );
  }
  if (item === undefined && errors.length === 0) errors.push({ column: -1, text: 'This row is empty' });
  if (item === undefined || errors.length > 0) return { item: undefined, errors, warnings: [] };
  const warnings = [
    ...rangeWarnings(item, references, ranges.get(polymersOf(item)) ?? {}),
    ...recordWarnings(item, references).map(({ path, message }) => ({ path, text: message })),
  ].map(({ path, text }) => ({ column: columnAt(header, path), text }));
  if (item.recordId !== undefined) {
    warnings.push({
      column: columnAt(header, ''),
      text: 'This row becomes a new record. The existing record does not change.',
    });
  }
  return { item, errors, warnings };
}

/** Appends the unit of the heading to a number without a unit. */
function withUnit(cell: string, column: string, unit: string | undefined): string {
  if (unit === undefined || cell === '' || memberOfColumn(column) === undefined) return cell;
  const read = parseNumber(cell);
  return 'number' in read && read.unit === undefined ? `${cell} ${unit}` : cell;
}

function columnAt(header: ReadonlyMap<number, string>, path: string): number {
  for (const [at, column] of header) {
    const place = memberOfColumn(column);
    if (path === '' ? column === 'experiment_id' : place && path.startsWith(`${place.group ?? ''}.${place.member}`))
      return at;
    if (path.startsWith('polymer') && column === 'polymer(s)') return at;
    if (path.startsWith('solvent') && column === 'solvent(s)') return at;
  }
  return -1;
}

function cellError(problem: ValidationProblem, column: string, cell: string, references: References): string {
  const kind = memberOfColumn(column)?.kind;
  const isNumber = kind === 'quantity' || kind === 'number';
  const { label } = columnLabel(column);
  const readable = typeof cellOfText(cell) !== 'object';
  if (readable && isNumber && problem.code === 'WRONG_TYPE') return `“${cell}”: ${lowerFirst(numberText(cell))}`;
  const read = isNumber ? parseNumber(cell) : undefined;
  if (read && 'number' in read && read.unit !== undefined && UNIT_CODES.has(problem.code)) {
    const dimensions = fieldOfColumn(column)?.dimensions;
    return problemText({ ...problem, code: 'UNIT_NOT_APPLICABLE' }, read.unit, { label, dimensions }, references);
  }
  if (kind === 'unit' || column === 'polymer(s)' || column === 'solvent(s)') {
    const typed = kind === 'unit' ? cell : unknownName(cell, column, references);
    const dimensions = fieldOfColumn(column)?.dimensions;
    return problemText(problem, typed, { label: label.replace(/, unit$/, ''), dimensions }, references);
  }
  return problem.message.replace(/^`[^`]*`: /, '').replaceAll('`', '');
}

const UNIT_CODES: ReadonlySet<string> = new Set(['UNKNOWN_UNIT', 'UNIT_NOT_APPLICABLE']);

/** Returns the unknown name in a cell that joins several names, or the whole text if it resembles one name. */
function unknownName(cell: string, column: string, references: References): string {
  const list = column === 'polymer(s)' ? 'polymers' : 'solvents';
  if (nearestNames(references, list, cell).length > 0) return cell;
  const names = splitJoinedNames(cell, list, references, undefined) ?? [cell];
  return names.find((name) => resolveName(references, list, name).kind !== 'found') ?? cell;
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
