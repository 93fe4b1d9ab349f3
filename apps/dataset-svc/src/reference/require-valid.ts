import type { ValidationProblem } from '@esd/record/validate/problems';
import { ServiceError } from '@esd/service/errors';

/** Throws VALIDATION_FAILED with all problems of an entry or an import, unless there is none. */
export function requireValid(problems: ValidationProblem[], sent: 'entry' | 'import' | 'body' = 'entry'): void {
  if (problems.length === 0) return;
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  const details = { errors: problems, errorCount: problems.length };
  throw ServiceError.withDetails('VALIDATION_FAILED', `The ${sent} has ${count}.`, details);
}
