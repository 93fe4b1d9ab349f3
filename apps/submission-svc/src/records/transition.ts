import { nextStatus, type RecordStatus } from '@esd/record/status/record-status';
import { MAX_PROBLEMS, type ValidationProblem } from '@esd/record/validate/problems';
import { ServiceError } from '@esd/service/errors';

interface RecordToMove {
  from: RecordStatus | undefined;
  missingFields: readonly string[];
}

/** Returns the status of each record once it is stored. Throws MISSING_FIELDS unless `lenient` allows NEEDS_UPDATE. */
export function nextStatuses(
  records: readonly RecordToMove[],
  kind: 'submit' | 'update',
  lenient: boolean,
): RecordStatus[] {
  const statuses: RecordStatus[] = [];
  const missing: ValidationProblem[] = [];
  records.forEach(({ from, missingFields }, index) => {
    const next = nextStatus(from, { kind, complete: missingFields.length === 0, lenient });
    if (next.kind === 'moved') statuses.push(next.status);
    else if (next.code === 'MISSING_FIELDS') missing.push(...missingFields.map((path) => missingProblem(index, path)));
    else throw new Error(`no transition by ${kind} from ${from ?? 'a new record'}`);
  });
  if (missing.length === 0) return statuses;
  const missingFields = [...new Set(records.flatMap((record) => record.missingFields))];
  throw new ServiceError(
    'MISSING_FIELDS',
    `Mandatory fields are missing: ${missingFields.join(', ')}; nothing was stored.`,
    { details: { errors: missing.slice(0, MAX_PROBLEMS), errorCount: missing.length, missingFields } },
  );
}

function missingProblem(index: number, path: string): ValidationProblem {
  return {
    path: `experimentData[${index}].${path}`,
    code: 'MISSING_VALUE',
    message: 'This field is mandatory; only a submission with a personal access token may omit it.',
  };
}
