import type { Problem, Refusal } from '@esd/proto/esd/submission/v1/submission';
import { ServiceError } from '@esd/service/errors';

/** Returns a refusal as part of the response: its lists are too long for the trailer of an error. */
export async function outcomeOf<Outcome>(
  work: () => Promise<Outcome>,
): Promise<Outcome | { $case: 'refusal'; value: Refusal }> {
  try {
    return await work();
  } catch (error) {
    const refusal = error instanceof ServiceError ? toRefusal(error) : undefined;
    if (!refusal) throw error;
    return { $case: 'refusal', value: refusal };
  }
}

function toRefusal({ code, message, details }: ServiceError): Refusal | undefined {
  const { errors = [], errorCount = errors.length, missingFields = [] } = details;
  if (errors.length === 0) return undefined;
  const problems = errors.map(({ path, code, message }): Problem => ({ path, code, message }));
  return { code, message, problems, problemCount: errorCount, missingFields };
}
