import type { Refusal } from '@esd/proto/esd/submission/v1/submission';
import { isErrorCode } from '@esd/api/error-codes';
import { ServiceError } from '@esd/service/errors';

export function refusalError({ code, message, problems, problemCount, missingFields }: Refusal): Error {
  if (!isErrorCode(code)) return new Error(`the refusal has the unknown code "${code}"`);
  return ServiceError.withDetails(code, message, {
    ...(problems.length > 0 ? { errors: problems, errorCount: problemCount } : {}),
    ...(missingFields.length > 0 ? { missingFields } : {}),
  });
}
