import type { Problem, ProblemCode } from '@esd/record/problems';
import { type CheckedSubmission, type SubmissionOptions, validateInSteps } from '@esd/record/validate-submission';
import type { References } from '@esd/record/reference';
import type { CallOptions } from '@esd/service/rpc-client';
import type { ReferenceCache } from '../reference/reference-cache.ts';
import { refuseMany } from './anonymous.ts';
import type { Asking, Turns } from './turns.ts';

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
 * Reads and validates the body of a submission or an update: JSON text in UTF-8. In turns with others. Throws UNAVAILABLE
 * while there are no reference lists, and PAYLOAD_TOO_LARGE for more records than are taken without an account.
 */
export async function readSubmission(
  { references, turns }: { references: ReferenceCache; turns: Turns },
  json: Uint8Array,
  options: SubmissionOptions,
  request: Asking & CallOptions,
): Promise<ReadSubmission> {
  const parsed = await turns.compute(request, parseAlone(json));
  if ('message' in parsed) return { kind: 'unreadable', message: parsed.message };
  // Only who has an account may leave userMetadata out.
  if (options.userMetadata === 'required') refuseMany(parsed.value);
  const check = await checkAgainstNewest(
    references,
    (lists) => turns.compute(request, validateInSteps(parsed.value, lists, options)),
    request,
  );
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

/**
 * Checks something against the reference lists. A name that does not resolve may be new: then the lists are fetched once
 * before it is refused.
 */
export async function checkAgainstNewest<Check extends { problems: readonly Problem[] }>(
  references: ReferenceCache,
  checkAgainst: (lists: References) => Check | Promise<Check>,
  call: CallOptions,
): Promise<Check> {
  const current = await references.current(call);
  const check = await checkAgainst(current);
  if (!check.problems.some(({ code }) => OF_LISTS.has(code))) return check;
  const newest = await references.refresh(call);
  return newest.revision === current.revision ? check : checkAgainst(newest);
}

/** The largest step there is: nothing can be done between its beginning and its end. */
function* parseAlone(bytes: Uint8Array): Generator<void, ReturnType<typeof parseJson>> {
  const parsed = parseJson(bytes);
  yield;
  return parsed;
}

/** A body as JSON: text in UTF-8; or why it is none. */
export function parseJson(bytes: Uint8Array): { value: unknown } | { message: string } {
  try {
    return { value: JSON.parse(utf8.decode(bytes)) };
  } catch (error) {
    if (error instanceof SyntaxError) return { message: `The body is not JSON: ${error.message}.` };
    return { message: 'The body is not text in UTF-8.' };
  }
}
