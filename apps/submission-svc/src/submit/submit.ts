import type { Problem, Warning } from '@esd/record/problems';
import { nextStatus, type RecordStatus } from '@esd/record/record-status';
import { type SubmissionCheck, validateSubmission } from '@esd/record/validate-submission';
import type { Caller } from '@esd/service/assertion';
import type { Kysely } from 'kysely';
import type { ReferenceCache } from '../reference/reference-cache.ts';
import type { Tables } from '../tables.ts';
import { insertSubmission } from './submission.store.ts';

export interface RecordOutcome {
  recordId: number;
  status: RecordStatus;
  missingFields: string[];
  warnings: Warning[];
}

export type SubmitOutcome =
  | { kind: 'stored'; submissionId: number; records: RecordOutcome[] }
  | { kind: 'invalid'; problems: Problem[]; problemCount: number }
  | { kind: 'missing'; problems: Problem[]; problemCount: number; missingFields: string[] }
  | { kind: 'unreadable'; message: string };

export interface SubmitParts {
  database: Kysely<Tables>;
  references: ReferenceCache;
}

export interface SubmitRequest {
  /** The body as it came: JSON text in UTF-8. */
  json: Uint8Array;
  caller: Caller | undefined;
  requestId: string;
  deadline: number;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Checks a submission and stores it, all or nothing. Mandatory fields may be missing only where a personal access
 * token submits; the record then waits as NEEDS_UPDATE. Throws UNAVAILABLE while the reference lists or the
 * database cannot be reached.
 */
export async function submit({ database, references }: SubmitParts, request: SubmitRequest): Promise<SubmitOutcome> {
  const parsed = parseJson(request.json);
  if ('message' in parsed) return { kind: 'unreadable', message: parsed.message };
  const check = await checkAgainstNewest(parsed.value, references, request);
  if (!check.submission) return { kind: 'invalid', problems: check.problems, problemCount: check.problemCount };

  const { submission } = check;
  const lenient = request.caller?.credential === 'pat';
  const statuses: RecordStatus[] = [];
  const missing: Problem[] = [];
  submission.records.forEach((record, index) => {
    const complete = record.missingFields.length === 0;
    const next = nextStatus(undefined, { kind: 'submit', complete, lenient });
    if (next.kind === 'moved') statuses.push(next.status);
    else missing.push(...record.missingFields.map((path) => missingProblem(index, path)));
  });
  if (missing.length > 0) {
    const missingFields = [...new Set(submission.records.flatMap((record) => record.missingFields))];
    return { kind: 'missing', problems: missing.slice(0, 1_000), problemCount: missing.length, missingFields };
  }

  const { submissionId, recordIds } = await database.transaction().execute((transaction) =>
    insertSubmission(transaction, {
      submission,
      statuses,
      ownerAccountId: request.caller?.accountId ?? null,
      credential: request.caller?.credential ?? 'anonymous',
      requestId: request.requestId,
    }),
  );
  const records = submission.records.map(({ missingFields, warnings }, index) => ({
    recordId: recordIds[index] ?? 0,
    status: statuses[index] ?? 'NEEDS_UPDATE',
    missingFields,
    warnings,
  }));
  return { kind: 'stored', submissionId, records };
}

/** A name that does not resolve may be new: then the lists are fetched once before it is refused. */
async function checkAgainstNewest(
  input: unknown,
  references: ReferenceCache,
  request: SubmitRequest,
): Promise<SubmissionCheck> {
  const options = { userMetadata: request.caller ? 'optional' : 'required' } as const;
  const current = await references.current(request);
  const check = validateSubmission(input, current, options);
  if (!check.problems.some((problem) => problem.code.startsWith('UNKNOWN_') && problem.code !== 'UNKNOWN_MEMBER')) {
    return check;
  }
  const newest = await references.refresh(request);
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

function missingProblem(index: number, path: string): Problem {
  return {
    path: `experimentData[${index}].${path}`,
    code: 'MISSING_VALUE',
    message: 'This field is mandatory; only a submission with a personal access token may leave it for later.',
  };
}
