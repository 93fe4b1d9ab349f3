import type { ResponseAt } from '@esd/api/operations';
import type { RecordStatus } from '@esd/record/status/record-status';
import * as z from 'zod/mini';

export type Review = ResponseAt<'get', '/moderation/records/{id}'>;
export type SubmissionTable = ResponseAt<'get', '/moderation/submissions/{submissionId}'>;
export type TableRow = SubmissionTable['rows'][number];
export type Status = RecordStatus;

export const histogram = z.object({
  unit: z.string(),
  edges: z.array(z.number()),
  counts: z.array(z.number()),
  below: z.number(),
  above: z.number(),
});
export type Histogram = z.output<typeof histogram>;
