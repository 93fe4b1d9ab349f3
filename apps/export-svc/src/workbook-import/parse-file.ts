import { readFile } from 'node:fs/promises';
import type { ValidationProblem } from '@esd/record/validate/problems';
import type { References } from '@esd/record/reference/reference';
import { UnreadableSheet } from '@esd/record/sheet/unreadable-sheet';
import type { ErrorCode } from '@esd/api/error-codes';
import { ServiceError } from '@esd/service/errors';
import { type GuessOptions, guessSheet } from './guess-sheet.ts';
import { importTable } from './import-table.ts';
import { sheetValues, tableCells } from './sheet-cells.ts';
import { unreadableFile } from './unreadable-file.ts';

export type ParseOutcome =
  /** The JSON of the response, in UTF-8. */
  | { kind: 'records'; json: Uint8Array }
  /** At most 1,000 problems, and their total number. */
  | { kind: 'problems'; errors: ValidationProblem[]; errorCount: number }
  | { kind: 'refused'; code: ErrorCode; message: string };

/** Validated records with canonical names, the raw cells as texts or typed values, or the reading of a sheet with any headings. */
export type ParsedForm = 'records' | 'cells' | 'values' | 'guess';

/** Parses a file. Reports any fault of the file as an outcome, not as an exception. */
export async function parseFile(
  path: string,
  references: References,
  form: ParsedForm,
  options: GuessOptions = {},
): Promise<ParseOutcome> {
  try {
    const bytes = await readFile(path);
    if (form === 'guess' || form === 'values') {
      const outcome =
        form === 'guess'
          ? await guessSheet(bytes, references, options)
          : await sheetValues(bytes, references, options.sheet);
      if ('json' in outcome) return { kind: 'records', json: outcome.json };
      if (outcome.kind === 'invalid-option') {
        return { kind: 'refused', code: 'INVALID_PARAMETER', message: outcome.message };
      }
      return { kind: 'problems', errors: [...outcome.problems], errorCount: outcome.problems.length };
    }
    const { json, problems } = form === 'cells' ? await tableCells(bytes) : await importTable(bytes, references);
    if (problems.count > 0) return { kind: 'problems', errors: problems.problems, errorCount: problems.count };
    return { kind: 'records', json };
  } catch (error) {
    const refusal = error instanceof UnreadableSheet ? unreadableFile(error.message) : error;
    if (!(refusal instanceof ServiceError)) throw error;
    return { kind: 'refused', code: refusal.code, message: refusal.message };
  }
}
