import type { References } from '../reference/reference.ts';
import { sheetColumns } from '../flatten/flatten.ts';
import { normalizedColumns } from '../flatten/normalized-columns.ts';
import type { Cell } from '../flatten/flatten.ts';
import { nearest } from '../validate/nearest-names.ts';
import { ParsedRow } from './parse-row.ts';
import type { ParsedItem, TableParts } from './parse-row.ts';
import { describe, ProblemList } from '../validate/problems.ts';
import type { ProblemCode } from '../validate/problems.ts';
import { MAX_RECORDS } from '../submission-size.ts';
import { isStruck } from './formatted-text.ts';
import { plainCell } from './parse-cell.ts';
import { unreadableError } from './read-formatted-cell.ts';
import { asRows, isBlank, problemBeyondLimit, type SheetGrid, type TableRow } from './sheet-grid.ts';

/** The records of a sheet, which are complete only if there are no problems. */
export interface NamedReading {
  readonly records: readonly { readonly row: number; readonly item: ParsedItem }[];
  readonly problems: ProblemList;
}

/**
 * Reads a sheet whose first row contains flattened column names, in any order and case, such as a template or an export.
 * The items are validated and in stored form. Problems name the cell and its heading.
 *
 * @param name the name of the sheet in its workbook
 */
export function readNamedSheet(grid: SheetGrid, name: string | undefined, references: References): NamedReading {
  const { rows, address } = asRows(grid, name);
  const [header, ...body] = rows;
  const problems = new ProblemList();
  const readRow = header && rowReader(header, { references, problems, cellName: address });
  const records = body.slice(0, MAX_RECORDS).flatMap((row) => {
    const item = readRow?.(row);
    return item === undefined ? [] : [{ row: row.number, item }];
  });
  const beyond = problemBeyondLimit(body, address);
  if (beyond === undefined) addMergedCells(problems, grid, name);
  else problems.add(beyond.path, beyond.code, () => beyond.message);
  if (body.length === 0 && problems.count === 0) {
    const message = () => 'The sheet has no records: the first row names the columns, and each row below is a record.';
    problems.add(address(1), 'MISSING_VALUE', message);
  }
  return { records, problems };
}

/** Reports each range of merged cells of a sheet that must not have any. */
export function addMergedCells(problems: ProblemList, grid: SheetGrid, name: string | undefined): void {
  const { rangeAddress } = asRows(grid, name);
  for (const range of grid.merged) {
    const message = () => 'Merged cells are not supported; unmerge them and fill each cell.';
    problems.add(rangeAddress(range), 'INVALID_FORMAT', message);
  }
}

/** Returns a function that reads one row into an item; undefined for an invalid row. */
function rowReader(header: TableRow, parts: TableParts): (row: TableRow) => ParsedItem | undefined {
  const columns = readHeader(header, parts);
  const reported = new Set<number>();
  return (row) => {
    const cells = new Map<string, number>();
    const values: Record<string, Cell> = {};
    const before = parts.problems.count;
    for (const [at, formatted] of row.cells) {
      const cell = plainCell(formatted);
      if (isBlank(cell)) continue;
      const column = columns.get(at);
      const fail = (code: ProblemCode, message: string): void => {
        parts.problems.add(parts.cellName(row.number, at), code, () => message);
      };
      if (column === undefined) {
        // An unknown heading is already reported.
        if (!header.cells.has(at) && !reported.has(at))
          fail('UNKNOWN_MEMBER', 'This column has no heading; add one in the first row.');
        reported.add(at);
      } else if (typeof cell === 'object') fail('WRONG_TYPE', `\`${column}\`: ${cell.unreadable}`);
      else if (typeof cell === 'string' && isStruck(cell)) {
        fail('INVALID_FORMAT', `\`${column}\`: The text is struck through; delete it, or remove the formatting.`);
      } else {
        const error = unreadableError(cell);
        if (error !== undefined) fail(error.code, `\`${column}\`: ${error.message}`);
        else {
          cells.set(column, at);
          values[column] = cell;
        }
      }
    }
    const item = cells.size === 0 ? undefined : new ParsedRow(row.number, cells, values, parts).read();
    return parts.problems.count === before ? item : undefined;
  };
}

function readHeader(header: TableRow, { problems, cellName }: TableParts): ReadonlyMap<number, string> {
  const columns = new Map<number, string>();
  const unknown: [at: number, heading: string][] = [];
  const fail = (at: number, code: ProblemCode, message: () => string): void => {
    problems.add(cellName(header.number, at), code, message);
  };
  for (const [at, formatted] of header.cells) {
    const cell = plainCell(formatted);
    const heading = typeof cell === 'object' ? '' : String(cell).trim();
    const column = heading.toLowerCase();
    if (normalizedColumns.includes(column)) continue;
    if (!sheetColumns.includes(column)) unknown.push([at, heading]);
    else if ([...columns.values()].includes(column)) {
      fail(at, 'CONFLICTING_MEMBERS', () => `The column \`${column}\` appears twice; keep one of them.`);
    } else columns.set(at, column);
  }
  if (columns.size === 0) {
    problems.add(
      cellName(header.number),
      'UNKNOWN_MEMBER',
      () => 'The first row must contain the column names of the template; it has none of them.',
    );
    return columns;
  }
  for (const [at, heading] of unknown) {
    fail(at, 'UNKNOWN_MEMBER', () => {
      const near = nearest(
        heading.toLowerCase(),
        sheetColumns.map((column) => [column, column]),
      );
      const hint = near.length > 0 ? `nearest: ${near.join(', ')}` : 'see the template for all columns';
      return `Unknown column ${describe(heading)}; ${hint}.`;
    });
  }
  return columns;
}
