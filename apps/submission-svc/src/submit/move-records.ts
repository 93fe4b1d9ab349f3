import { MOST_PROBLEMS, type Problem } from '@esd/record/problems';
import { nextStatus, type RecordStatus } from '@esd/record/record-status';
import type { Refused } from './read-submission.ts';

/** A record that is submitted or updated. */
interface Moving {
  /** What it is now; undefined: it is new. */
  from: RecordStatus | undefined;
  missingFields: readonly string[];
}

/**
 * The status of each record once it is stored, or all that is missing where mandatory fields may not be left out.
 * `lenient`: they may, the record then waits as NEEDS_UPDATE.
 */
export function moveRecords(
  records: readonly Moving[],
  kind: 'submit' | 'update',
  lenient: boolean,
): { kind: 'moved'; statuses: RecordStatus[] } | Extract<Refused, { kind: 'missing' }> {
  const statuses: RecordStatus[] = [];
  const missing: Problem[] = [];
  records.forEach(({ from, missingFields }, index) => {
    const next = nextStatus(from, { kind, complete: missingFields.length === 0, lenient });
    if (next.kind === 'moved') statuses.push(next.status);
    else if (next.code === 'MISSING_FIELDS') missing.push(...missingFields.map((path) => missingProblem(index, path)));
    else throw new Error(`${kind} is not foreseen for a record that is ${from ?? 'new'}`);
  });
  if (missing.length === 0) return { kind: 'moved', statuses };
  return {
    kind: 'missing',
    problems: missing.slice(0, MOST_PROBLEMS),
    problemCount: missing.length,
    missingFields: [...new Set(records.flatMap((record) => record.missingFields))],
  };
}

function missingProblem(index: number, path: string): Problem {
  return {
    path: `experimentData[${index}].${path}`,
    code: 'MISSING_VALUE',
    message: 'This field is mandatory; only a submission with a personal access token may leave it for later.',
  };
}
