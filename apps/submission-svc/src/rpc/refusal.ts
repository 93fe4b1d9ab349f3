import type { Refusal } from '@esd/proto/esd/submission/v1/submission';
import type { Refused } from '../submit/read-submission.ts';

/** A refusal as it travels between the services; `what` was sent. */
export function toRefusal(outcome: Refused, what = 'submission'): Refusal {
  switch (outcome.kind) {
    case 'unreadable':
      return { code: 'INVALID_REQUEST', message: outcome.message, problems: [], problemCount: 0, missingFields: [] };
    case 'invalid': {
      const { problems, problemCount } = outcome;
      const message = `The ${what} has ${problemCount} problem(s); nothing was stored.`;
      return { code: 'VALIDATION_FAILED', message, problems, problemCount, missingFields: [] };
    }
    case 'missing': {
      const { problems, problemCount, missingFields } = outcome;
      const message = `Mandatory fields are missing: ${missingFields.join(', ')}; nothing was stored.`;
      return { code: 'MISSING_FIELDS', message, problems, problemCount, missingFields };
    }
  }
}
