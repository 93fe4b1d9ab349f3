import { z } from 'zod';
import { ERROR_CODES, isErrorCode } from '@esd/service/errors';

const errorItem = z.strictObject({
  path: z.string().meta({ description: 'Leads from the body to the value.' }),
  code: z.string(),
  message: z.string(),
  recordId: z.int().optional().meta({ description: 'The record meant, where the problem is the state of a record.' }),
  status: z.string().optional().meta({ description: 'Its status.' }),
});

/** The one body of every error. */
export const errorBody = z
  .strictObject({
    success: z.literal(false),
    message: z.string().meta({ description: 'Names the offending value and what would be accepted.' }),
    code: z.enum(Object.keys(ERROR_CODES).filter(isErrorCode)),
    requestId: z.uuid().meta({ description: 'Names the request in the logs of the service.' }),
    errors: z.array(errorItem).optional().meta({ description: 'The problems of the request, at most 1,000.' }),
    errorCount: z.int().optional().meta({ description: 'How many problems there are in all.' }),
    missingFields: z
      .array(z.string())
      .optional()
      .meta({ description: 'Paths of the mandatory fields that are missing.' }),
  })
  .meta({ id: 'Error' });
