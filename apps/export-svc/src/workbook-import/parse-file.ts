import { readFile } from 'node:fs/promises';
import type { ValidationProblem } from '@esd/record/validate/problems';
import type { References } from '@esd/record/reference/reference';
import { UnreadableSheet } from '@esd/record/sheet/unreadable-sheet';
import { type ErrorCode, ServiceError } from '@esd/service/errors';
import { importTable } from './import-table.ts';
import { readTable } from './read-table.ts';
import { unreadableFile } from './unreadable-file.ts';

/** What became of a file, as it crosses from one thread to another. */
export type ParseOutcome =
  /** A JSON array of `experimentData` items, in UTF-8. */
  | { kind: 'records'; json: Uint8Array }
  /** At most 1,000 of the problems, and how many there are. */
  | { kind: 'problems'; errors: ValidationProblem[]; errorCount: number }
  | { kind: 'refused'; code: ErrorCode; message: string };

/** Reads the records of a local workbook or CSV file. Whatever is wrong with the file is an outcome. */
export async function parseFile(path: string, references: References): Promise<ParseOutcome> {
  try {
    const { json, problems } = await importTable(await readTable(await readFile(path)), references);
    if (problems.count > 0) return { kind: 'problems', errors: problems.problems, errorCount: problems.count };
    return { kind: 'records', json };
  } catch (error) {
    const refusal = error instanceof UnreadableSheet ? unreadableFile(error.message) : error;
    if (!(refusal instanceof ServiceError)) throw error;
    return { kind: 'refused', code: refusal.code, message: refusal.message };
  }
}
