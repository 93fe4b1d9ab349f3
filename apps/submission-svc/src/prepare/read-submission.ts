import type { ValidationProblem, ProblemCode } from '@esd/record/validate/problems';
import {
  type CheckedSubmission,
  type SubmissionOptions,
  validateInSteps,
} from '@esd/record/validate/validate-submission';
import type { DatasetReferences, ReferenceLists } from '@esd/dataset-client/reference-lists';
import type { References } from '@esd/record/reference/reference';
import { ServiceError } from '@esd/service/errors';
import type { CallOptions } from '@esd/service/rpc/rpc-client';
import type { RecordContext, RecordRequest } from '../records/context.ts';
import { validationFailed } from '../records/validation-failed.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses a JSON body in UTF-8. Throws INVALID_REQUEST. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (cause) {
    const message =
      cause instanceof SyntaxError ? `The body is not JSON: ${cause.message}.` : 'The body is not UTF-8 text.';
    throw new ServiceError('INVALID_REQUEST', message, { cause });
  }
}

/** Parses a body that may be large, in the queue of computations. Throws the errors of parseJson. */
export function parseSubmission(
  { queues }: Pick<RecordContext, 'queues'>,
  json: Uint8Array,
  request: RecordRequest,
): Promise<unknown> {
  return queues.compute(request, parseInOneStep(json));
}

/** JSON.parse cannot be interrupted. */
function* parseInOneStep(bytes: Uint8Array): Generator<void, unknown> {
  const parsed = parseJson(bytes);
  yield;
  return parsed;
}

/** Validates a body in the queue of computations. Throws VALIDATION_FAILED, and UNAVAILABLE without reference lists. */
export async function validateSubmission(
  { references, queues }: Pick<RecordContext, 'references' | 'queues'>,
  body: unknown,
  options: SubmissionOptions,
  request: RecordRequest,
): Promise<CheckedSubmission> {
  const { submission, problems, problemCount } = await validateWithLists(
    references,
    (lists) => queues.compute(request, validateInSteps(body, lists, options)),
    request,
  );
  if (!submission) throw validationFailed(problems, problemCount);
  return submission;
}

/** Problems that newer lists may resolve. */
const PROBLEMS_OF_LISTS: ReadonlySet<ProblemCode> = new Set([
  'UNKNOWN_POLYMER',
  'UNKNOWN_SOLVENT',
  'UNKNOWN_UNIT',
  'UNKNOWN_MORPHOLOGY',
  'UNKNOWN_INSTABILITY',
  'RETIRED_NAME',
]);

/** Validates against the reference lists. An unknown name may be new, so it fetches the lists again before refusing it. */
export async function validateWithLists<Check extends { problems: readonly ValidationProblem[] }>(
  references: ReferenceLists,
  validate: (lists: References) => Check | Promise<Check>,
  call: CallOptions,
): Promise<Check> {
  const current = await references.current(call);
  const check = await validate(current.references);
  if (!check.problems.some(({ code }) => PROBLEMS_OF_LISTS.has(code))) return check;
  const newest = await references.refresh(call);
  return isSameState(newest, current) ? check : validate(newest.references);
}

function isSameState(one: DatasetReferences, other: DatasetReferences): boolean {
  return one.datasetId === other.datasetId && one.references.revision === other.references.revision;
}
