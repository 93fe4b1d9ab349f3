import { FORBIDDEN_CHARACTER } from './plain-text.ts';
import { type SuggestionBudget, withSuggestions } from './nearest-names.ts';

export type ProblemCode =
  | 'UNKNOWN_MEMBER'
  | 'CONFLICTING_MEMBERS'
  | 'WRONG_TYPE'
  | 'MISSING_VALUE'
  | 'CONSENT_REQUIRED'
  | 'INVALID_FORMAT'
  | 'INVALID_TEXT'
  | 'NOT_FINITE'
  | 'IMPOSSIBLE_VALUE'
  | 'NO_VALUES'
  | 'TOO_LONG'
  | 'TOO_DEEP'
  | 'TOO_MANY_ITEMS'
  | 'TOO_MANY_RECORDS'
  | 'RECORD_TOO_LARGE'
  | 'AMBIGUOUS_NAME'
  | 'UNKNOWN_POLYMER'
  | 'UNKNOWN_SOLVENT'
  | 'UNKNOWN_UNIT'
  | 'UNKNOWN_MORPHOLOGY'
  | 'UNKNOWN_INSTABILITY'
  | 'UNIT_NOT_APPLICABLE'
  | 'WRONG_RECORD_COUNT'
  | 'UNKNOWN_RECORD'
  | 'REPEATED_RECORD'
  | 'NOT_CHANGEABLE'
  | 'NAME_TAKEN'
  | 'RETIRED_NAME'
  | 'UNKNOWN_IMAGE'
  | 'IMAGE_TAKEN'
  | 'SEVERAL_READINGS'
  | 'NO_HEADING_ROW'
  | 'HIDDEN_HEADING_ROW';

/** An error in a submission. `path` starts at the body, as in `experimentData[0].processParameter.voltage`. */
export interface ValidationProblem {
  path: string;
  code: ProblemCode;
  message: string;
  /** The kind of repair of a cell of a sheet, and the readings that it offers. */
  kind?: string;
  /** The cell of a sheet, as written. */
  text?: string;
  choices?: readonly ReadingChoice[];
  /** The first rows of a sheet whose headings the user has to choose. */
  rows?: { row: number; cells: string[] }[];
}

/** A reading of a cell that the user can choose. */
export interface ReadingChoice {
  readonly choice: string;
  readonly reads: string;
}

export type WarningCode =
  | 'RATIO_SUM'
  | 'PH_OUT_OF_RANGE'
  | 'LEGACY_NAME'
  | 'RETIRED_NAME'
  | 'CATEGORY_CORRECTED'
  | 'DOI_NOT_WELL_FORMED'
  | 'DOI_SHORTENED'
  | 'UNUSUAL_VALUE'
  | 'LIKELY_DUPLICATE'
  | 'SAME_SETTINGS_OTHER_RESULT';

export const severities = ['high', 'low'] as const;
export type Severity = (typeof severities)[number];

/** With `high`, a value is likely wrong or the record is likely a duplicate; moderators confirm its approval. */
const SEVERITIES: Readonly<Record<WarningCode, Severity>> = {
  RATIO_SUM: 'high',
  PH_OUT_OF_RANGE: 'high',
  LEGACY_NAME: 'low',
  RETIRED_NAME: 'low',
  CATEGORY_CORRECTED: 'low',
  DOI_NOT_WELL_FORMED: 'low',
  DOI_SHORTENED: 'low',
  UNUSUAL_VALUE: 'high',
  LIKELY_DUPLICATE: 'high',
  SAME_SETTINGS_OTHER_RESULT: 'low',
};
const severityByCode: ReadonlyMap<string, Severity> = new Map(Object.entries(SEVERITIES));

/** Returns the severity of a warning. The code of another software release counts as high. */
export function severityOf(code: string): Severity {
  return severityByCode.get(code) ?? 'high';
}

/** A hint that does not prevent a submission. `path` starts at the record, as in `missingFields`. */
export interface RecordWarning {
  path: string;
  code: WarningCode;
  message: string;
}

/** Maximum number of described problems. Others are only counted, so that a hostile body causes no large response. */
export const MAX_PROBLEMS = 1_000;

/** Maximum number of problems of one response that suggest names. */
export const MAX_SUGGESTIONS = 20;

const MAX_QUOTE_LENGTH = 80;

export class ProblemList {
  readonly problems: ValidationProblem[] = [];
  count = 0;
  readonly #suggestions: SuggestionBudget = { left: MAX_SUGGESTIONS };

  /** Calls `path` and `message` only if the problem is described. */
  add(
    path: string | (() => string),
    code: ProblemCode,
    message: () => string,
    offer?: Pick<ValidationProblem, 'kind' | 'text' | 'choices'>,
  ): void {
    this.count += 1;
    if (this.problems.length >= MAX_PROBLEMS) return;
    this.problems.push({
      path: typeof path === 'string' ? path : path(),
      code,
      message: withSuggestions(this.#suggestions, message),
      ...offer,
    });
  }
}

export function shorten(text: string): string {
  const cut = text.length > MAX_QUOTE_LENGTH ? `${text.slice(0, MAX_QUOTE_LENGTH)}…` : text;
  return cut.toWellFormed();
}

const FORBIDDEN_CHARACTERS = new RegExp(FORBIDDEN_CHARACTER, 'gu');

/** Formats a value for a message: texts quoted, escaped and truncated, arrays and objects by kind. */
export function describe(value: unknown): string {
  if (typeof value === 'string') {
    return JSON.stringify(shorten(value)).replaceAll(
      FORBIDDEN_CHARACTERS,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
  }
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  return String(value);
}

export function join(path: string, member: string): string {
  return path === '' ? shorten(member) : `${path}.${shorten(member)}`;
}
