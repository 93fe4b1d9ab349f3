import type { ValidationProblem, ProblemList } from '@esd/record/validate/problems';
import { ServiceError } from '@esd/service/errors';

/** Returns VALIDATION_FAILED with the first problems and their total number. */
export function validationFailed(
  problems: readonly ValidationProblem[],
  count = problems.length,
  what: 'submission' | 'image' = 'submission',
): ServiceError {
  const found = count === 1 ? '1 problem' : `${count} problems`;
  return new ServiceError('VALIDATION_FAILED', `The ${what} has ${found}; nothing was stored.`, {
    details: {
      errors: [...problems],
      errorCount: count,
    },
  });
}

export function throwProblems({ problems, count }: ProblemList): void {
  if (count > 0) throw validationFailed(problems, count);
}
