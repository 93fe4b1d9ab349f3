import type { ResponseAt } from '@esd/api/operations';
import type { RecordStatus } from '@esd/record/status/record-status';

export type Review = ResponseAt<'get', '/moderation/records/{id}'>;
export type SubmissionTable = ResponseAt<'get', '/moderation/submissions/{submissionId}'>;
export type TableRow = SubmissionTable['rows'][number];
export type Status = RecordStatus;

export type Histogram = ResponseAt<'get', '/public/dataset/histogram'>;
