import { flattenedColumns } from '../flatten/flatten.ts';
import { normalizedColumns } from '../flatten/normalized-columns.ts';
import type { Cell } from '../flatten/flatten.ts';
import { nearest } from '../validate/nearest-names.ts';
import type { TableCell } from './parse-cell.ts';
import { ParsedRow } from './parse-row.ts';
import type { ParsedItem, TableParts } from './parse-row.ts';
import { describe } from '../validate/problems.ts';
import type { ProblemCode } from '../validate/problems.ts';
import { MAX_RECORD_BYTES } from '../validate/validate-submission.ts';

/** A row of a sheet, numbered from 1, with its cells by column from 0; empty cells are absent. */
export interface TableRow {
  readonly number: number;
  readonly cells: ReadonlyMap<number, TableCell>;
}

/**
 * Opens a sheet whose first row contains flattened column names, in any order and case. Problems name the cell and its
 * heading.
 *
 * @returns a function that reads one row into a validated item in stored form; undefined for an empty or invalid row
 */
export function openTable(header: TableRow, parts: TableParts): (row: TableRow) => ParsedItem | undefined {
  const columns = readHeader(header, parts);
  const reported = new Set<number>();
  return (row) => {
    const cells = new Map<string, number>();
    const values: Record<string, Cell> = {};
    const before = parts.problems.count;
    for (const [at, cell] of row.cells) {
      if (typeof cell === 'string' && cell.trim() === '') continue;
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
      else if (typeof cell === 'string' && cell.length > MAX_RECORD_BYTES) {
        fail(
          'TOO_LONG',
          `\`${column}\`: A record must have at most ${MAX_RECORD_BYTES} bytes; this cell alone has ${cell.length}.`,
        );
      } else {
        cells.set(column, at);
        values[column] = cell;
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
  for (const [at, cell] of header.cells) {
    const heading = typeof cell === 'object' ? '' : String(cell).trim();
    const column = heading.toLowerCase();
    if (normalizedColumns.includes(column)) continue;
    if (!flattenedColumns.includes(column)) unknown.push([at, heading]);
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
        flattenedColumns.map((column) => [column, column]),
      );
      const hint = near.length > 0 ? `nearest: ${near.join(', ')}` : 'see the template for all columns';
      return `Unknown column ${describe(heading)}; ${hint}.`;
    });
  }
  return columns;
}
