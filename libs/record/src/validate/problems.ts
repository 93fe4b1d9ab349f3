import { type SuggestionBudget, withSuggestions } from './nearest-names.ts';

/** What can be wrong with a submission. */
export type ProblemCode =
  | 'UNKNOWN_MEMBER'
  | 'CONFLICTING_MEMBERS'
  | 'WRONG_TYPE'
  | 'MISSING_VALUE'
  | 'CONSENT_REQUIRED'
  | 'INVALID_FORMAT'
  | 'INVALID_TEXT'
  | 'NOT_FINITE'
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
  | 'IMAGE_TAKEN';

/** Why a submission is refused; `path` leads from the body to the value, as in `experimentData[0].processParameter.voltage`. */
export interface ValidationProblem {
  path: string;
  code: ProblemCode;
  message: string;
}

/** What a submitter should look at again; never a refusal. */
export type WarningCode =
  | 'RATIO_SUM'
  | 'PH_OUT_OF_RANGE'
  | 'LEGACY_NAME'
  | 'RETIRED_NAME'
  | 'CATEGORY_CORRECTED'
  | 'DOI_NOT_WELL_FORMED'
  | 'UNUSUAL_VALUE'
  | 'LIKELY_DUPLICATE';

/** A warning; `path` leads from the record, as `missingFields` do. */
export interface RecordWarning {
  path: string;
  code: WarningCode;
  message: string;
}

/** Most problems that are described; more are only counted, so that a hostile body costs no large answer. */
export const MAX_PROBLEMS = 1_000;

/** Most problems of one answer for which the nearest known names are looked up. */
export const MAX_SUGGESTIONS = 20;

const MAX_QUOTE_LENGTH = 80;

/** Collects problems; only the first 1,000 are described, and only 20 of them suggest a name. */
export class ProblemList {
  readonly problems: ValidationProblem[] = [];
  count = 0;
  readonly #suggestions: SuggestionBudget = { left: MAX_SUGGESTIONS };

  /** Path and message are made only where they are kept. */
  add(path: string | (() => string), code: ProblemCode, message: () => string): void {
    this.count += 1;
    if (this.problems.length >= MAX_PROBLEMS) return;
    this.problems.push({
      path: typeof path === 'string' ? path : path(),
      code,
      message: withSuggestions(this.#suggestions, message),
    });
  }
}

/** A text cut to a length that fits into a message or a path. */
export function shorten(text: string): string {
  const cut = text.length > MAX_QUOTE_LENGTH ? `${text.slice(0, MAX_QUOTE_LENGTH)}…` : text;
  return cut.toWellFormed();
}

/** A value named in a message: short texts in quotes, numbers as they are, the rest by kind. */
export function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(shorten(value));
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  return String(value);
}

/** The path of a member, cut where the member's name is long. */
export function join(path: string, member: string): string {
  return path === '' ? shorten(member) : `${path}.${shorten(member)}`;
}
