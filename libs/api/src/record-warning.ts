import { severities, severityOf } from '@esd/record/validate/problems';
import { z } from 'zod';

export const recordWarning = z.strictObject({
  path: z.string(),
  code: z.string(),
  message: z.string(),
  severity: z.enum(severities).meta({
    description: '`high` if a value is likely wrong or the record is likely a duplicate.',
  }),
});

export function withSeverity<Warning extends { code: string }>(warning: Warning) {
  return { ...warning, severity: severityOf(warning.code) };
}
