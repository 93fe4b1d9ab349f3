import { readFile } from 'node:fs/promises';
import type { ValidationProblem } from '@esd/record/validate/problems';
import type { References } from '@esd/record/reference/reference';
import { UnreadableSheet } from '@esd/record/sheet/unreadable-sheet';
import { type ErrorCode, ServiceError } from '@esd/service/errors';
import { importTable } from './import-table.ts';
import { tableCells } from './table-cells.ts';
import { readTable } from './read-table.ts';
import { unreadableFile } from './unreadable-file.ts';

/** What became of a file, as it crosses from one thread to another. */
export type ParseOutcome =
  /** The JSON of the answer, in UTF-8. */
  | { kind: 'records'; json: Uint8Array }
  /** At most 1,000 of the problems, and how many there are. */
  | { kind: 'problems'; errors: ValidationProblem[]; errorCount: number }
  | { kind: 'refused'; code: ErrorCode; message: string };

/** The records, checked and spelled as the lists do, or the cells as they are. */
export type ParsedForm = 'records' | 'cells';

/** Reads a local workbook or CSV file. Whatever is wrong with the file is an outcome. */
export async function parseFile(path: string, references: References, form: ParsedForm): Promise<ParseOutcome> {
  try {
    const table = await readTable(await readFile(path));
    const { json, problems } = form === 'cells' ? await tableCells(table) : await importTable(table, references);
    if (problems.count > 0) return { kind: 'problems', errors: problems.problems, errorCount: problems.count };
    return { kind: 'records', json };
  } catch (error) {
    const refusal = error instanceof UnreadableSheet ? unreadableFile(error.message) : error;
    if (!(refusal instanceof ServiceError)) throw error;
    return { kind: 'refused', code: refusal.code, message: refusal.message };
  }
}
