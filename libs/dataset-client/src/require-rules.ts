import { RULES } from '@esd/record/rules';
import { ServiceError } from '@esd/service/errors';

/** Throws UNAVAILABLE for the answer of a replica of dataset-svc that uses older rules than this process. */
export function requireRules(rules: number | undefined): void {
  if (rules !== undefined && rules >= RULES) return;
  throw new ServiceError('UNAVAILABLE', 'The service is being updated and cannot answer this yet; try again.');
}
