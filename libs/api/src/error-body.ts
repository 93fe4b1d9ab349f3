import { z } from 'zod';
import { ERROR_CODES, isErrorCode } from './error-codes.ts';
import { withdrawn } from './withdrawn.ts';

export const errorItem = z.strictObject({
  path: z.string().meta({ description: 'The path from the body to the value.' }),
  code: z.string(),
  message: z.string(),
  recordId: z.int().optional().meta({ description: 'The id of the record, if the problem is the state of a record.' }),
  status: z.string().optional().meta({ description: 'The status of that record.' }),
  revision: z.int().optional().meta({ description: 'The newest revision of that record.' }),
  rows: z
    .array(z.strictObject({ row: z.int(), cells: z.array(z.string()) }))
    .optional()
    .meta({ description: 'With `NO_HEADING_ROW` and `HIDDEN_HEADING_ROW`: the first 20 filled rows of the sheet.' }),
});

/** The details of an error, in addition to its code and message. */
export const errorDetails = z.object({
  errors: z.array(errorItem).optional().meta({ description: 'The problems of the request, at most 1,000.' }),
  errorCount: z.int().optional().meta({ description: 'The total number of problems.' }),
  missingFields: z
    .array(z.string())
    .optional()
    .meta({ description: 'Paths of the mandatory fields that are missing.' }),
  withdrawn: withdrawn
    .extend({
      versions: z.array(z.string()).meta({ description: 'The releases that contain the record, newest first.' }),
    })
    .optional()
    .meta({ description: 'With `RECORD_WITHDRAWN`, the time and the reason of the withdrawal.' }),
});

/** The body of every error. */
export const errorBody = z
  .strictObject({
    success: z.literal(false),
    message: z.string().meta({ description: 'Describes the problem and the accepted values.' }),
    code: z.enum(Object.keys(ERROR_CODES).filter(isErrorCode)),
    requestId: z.uuid().meta({ description: 'Identifies the request in the logs of the service.' }),
    ...errorDetails.shape,
  })
  .meta({ id: 'Error' });

export type ErrorItem = z.output<typeof errorItem>;
export type ErrorDetails = z.output<typeof errorDetails>;
export type ErrorBody = z.output<typeof errorBody>;
