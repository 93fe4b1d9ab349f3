import type { Problem, ProblemCode } from '@esd/record/problems';
import {
  type CheckedSubmission,
  type SubmissionCheck,
  type SubmissionOptions,
  validateSubmission,
} from '@esd/record/validate-submission';
import type { CallOptions } from '@esd/service/rpc-client';
import type { ReferenceCache } from '../reference/reference-cache.ts';

/** Why the body of a submission or an update is refused; nothing was stored. */
export type Refused =
  | { kind: 'invalid'; problems: Problem[]; problemCount: number }
  | { kind: 'missing'; problems: Problem[]; problemCount: number; missingFields: string[] }
  | { kind: 'unreadable'; message: string };

export type ReadSubmission =
  | {
      kind: 'read';
      submission: CheckedSubmission;
      /** The body as `JSON.parse` made it. */
      body: unknown;
    }
  | Refused;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads and validates the body of a submission or an update: JSON text in UTF-8. A name that does not resolve may be
 * new: then the lists are fetched once before it is refused. Throws UNAVAILABLE while there are no reference lists.
 */
export async function readSubmission(
  references: ReferenceCache,
  json: Uint8Array,
  options: SubmissionOptions,
  call: CallOptions,
): Promise<ReadSubmission> {
  const parsed = parseJson(json);
  if ('message' in parsed) return { kind: 'unreadable', message: parsed.message };
  const check = await checkAgainstNewest(references, parsed.value, options, call);
  if (!check.submission) return { kind: 'invalid', problems: check.problems, problemCount: check.problemCount };
  return { kind: 'read', submission: check.submission, body: parsed.value };
}

/** Problems that a newer list may solve. */
const OF_LISTS: ReadonlySet<ProblemCode> = new Set([
  'UNKNOWN_POLYMER',
  'UNKNOWN_SOLVENT',
  'UNKNOWN_UNIT',
  'UNKNOWN_MORPHOLOGY',
  'UNKNOWN_INSTABILITY',
  'RETIRED_NAME',
]);

async function checkAgainstNewest(
  references: ReferenceCache,
  input: unknown,
  options: SubmissionOptions,
  call: CallOptions,
): Promise<SubmissionCheck> {
  const current = await references.current(call);
  const check = validateSubmission(input, current, options);
  if (!check.problems.some(({ code }) => OF_LISTS.has(code))) return check;
  const newest = await references.refresh(call);
  return newest.revision === current.revision ? check : validateSubmission(input, newest, options);
}

function parseJson(bytes: Uint8Array): { value: unknown } | { message: string } {
  try {
    return { value: JSON.parse(utf8.decode(bytes)) };
  } catch (error) {
    if (error instanceof SyntaxError) return { message: `The body is not JSON: ${error.message}.` };
    return { message: 'The body is not text in UTF-8.' };
  }
}
