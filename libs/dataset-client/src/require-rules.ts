import { RULES } from '@esd/record/rules';
import { ServiceError } from '@esd/service/errors';

/** Throws UNAVAILABLE if dataset-svc computed an answer by older rules than those of this process. */
export function requireRules(rules: number | undefined): void {
  if (rules !== undefined && rules >= RULES) return;
  throw new ServiceError('UNAVAILABLE', 'The service is being updated. Retry in a moment.');
}
