import { recordStatuses } from '@esd/record/status/record-status';
import { z } from 'zod';
import { catalogSchema, experimentData } from './catalog-schema.ts';
import { integerText, idText } from './number-text.ts';
import { operation } from './operation.ts';
import { recordStatus } from './record-status.ts';
import { withdrawn } from './withdrawn.ts';

const MAX_PER_PAGE = 1_000;

const optionalPageQuery = z.object({
  skip: integerText(0, Number.MAX_SAFE_INTEGER).optional(),
  limit: integerText(1, MAX_PER_PAGE).optional(),
});

const recordsQuery = optionalPageQuery.extend({ status: recordStatus.optional() });

/** Members of a returned record in addition to its data. An update ignores them. */
const recordState = z.looseObject({
  recordId: z.int(),
  experimentId: z.int(),
  status: recordStatus,
  missingFields: z.array(z.string()).meta({ description: 'Paths of the mandatory fields that are missing.' }),
  rejectionReason: z.string().optional().meta({
    description:
      'The reason why a moderator rejected or withdrew the record; present only while its status is REJECTED.',
  }),
  revision: z.int().meta({ description: 'The revision of the data.' }),
  publishedRevision: z.int().optional().meta({ description: 'The public revision, if there is one.' }),
  withdrawn: withdrawn.optional().meta({ description: 'Present if the record was withdrawn from the dataset.' }),
});

const ownRecord = z.intersection(experimentData, recordState).meta({ id: 'OwnRecord' });

const submissionStatus = z.enum([...recordStatuses, 'MIXED', 'EMPTY']);

const ownExperiment = z.intersection(
  catalogSchema('SubmitDataDTO'),
  z.looseObject({
    submissionId: z.int(),
    submittedAt: z.iso.datetime(),
    experimentData: z.array(ownRecord).min(1).max(1),
  }),
);

const ownSubmission = z.intersection(
  catalogSchema('SubmitDataDTO'),
  z.looseObject({
    submissionId: z.int(),
    status: submissionStatus,
    submittedAt: z.iso.datetime(),
    experimentData: z.array(ownRecord),
  }),
);

const unread = z.int().meta({ description: 'The number of messages from moderators that the caller has not read.' });

export const needsAnswer = z.boolean().meta({
  description:
    'Whether the newest message about a record is an unread one from a moderator, and the record is not APPROVED.',
});

const submissionSummary = z.strictObject({
  submissionId: z.int(),
  status: submissionStatus.meta({
    description: 'The status of all records, MIXED if they differ, or EMPTY if there are no records.',
  }),
  submittedAt: z.iso.datetime(),
  recordCount: z.int(),
  counts: z.partialRecord(recordStatus, z.int()).meta({ description: 'The number of records by status.' }),
  unread,
  needsAnswer,
  records: z.array(
    z.strictObject({
      recordId: z.int(),
      status: recordStatus,
      missingFields: z.array(z.string()),
      sampleId: z.string().nullable(),
      unread,
      needsAnswer,
    }),
  ),
});

const historyEntry = z.strictObject({
  at: z.iso.datetime(),
  action: z.string().meta({
    description: '`submit`, `update`, `approve`, `reject`, `withdraw`, `restore`, `reopen` or `erase_submitter`.',
  }),
  revision: z.int(),
  by: z.enum(['owner', 'moderator', 'service']),
  reason: z.string().optional().meta({ description: 'The reason why a moderator rejected or withdrew the record.' }),
  changes: z
    .array(
      z.strictObject({
        path: z.string().meta({ description: 'The path of the field, such as `processParameter.voltage`.' }),
        before: z.unknown().optional().meta({ description: 'The previous value; absent if there was no value.' }),
        after: z.unknown().optional().meta({ description: 'The new value; absent if the value was removed.' }),
      }),
    )
    .optional()
    .meta({ description: 'The differences from the previous revision; absent if there are no differences.' }),
});

const PAGED = 'Without `skip` and `limit`, the response contains the whole list; a long list is streamed.';

export const listMyRecords = operation({
  method: 'get',
  path: '/data/my-records',
  caller: 'required',
  describe: {
    tag: 'Data',
    summary: 'List the records of the caller',
    details: `Each record has the format of a submitted record, at its newest revision. ${PAGED}`,
    returns: 'The records, in ascending order of id.',
    example: { parameters: { status: 'APPROVED', limit: 10 } },
  },
  query: recordsQuery,
  response: z.array(ownRecord),
});

export const listPending = operation({
  method: 'get',
  path: '/data/pending',
  caller: 'required',
  describe: {
    tag: 'Data',
    summary: 'List the records of the caller that await review',
    details: 'This is the older form of `/data/my-records?status=PENDING`.',
    returns: 'The records, in ascending order of id.',
  },
  query: optionalPageQuery,
  response: z.array(ownRecord),
});

export const listMyRecordIds = operation({
  method: 'get',
  path: '/data/my-records/ids',
  caller: 'required',
  describe: {
    tag: 'Data',
    summary: 'List the record ids of the caller',
    details: 'Without `status`, the response contains the ids of all records.',
    returns: 'The record ids, in ascending order.',
    example: { parameters: { status: 'APPROVED' } },
  },
  query: recordsQuery,
  response: z.array(z.int()),
});

export const getHistory = operation({
  method: 'get',
  path: '/data/my-records/{recordId}/history',
  caller: 'required',
  describe: {
    tag: 'Data',
    summary: 'Get the history of a record of the caller',
    details:
      'Lists the events since the submission of the record, and the fields that each revision changed. Other people appear only by their role.',
    returns: 'The entries, oldest first.',
    errors: ['RECORD_NOT_FOUND'],
    example: { parameters: { recordId: 1 } },
  },
  parameters: z.object({ recordId: idText }),
  response: z.array(historyEntry),
});

export const listMySubmissions = operation({
  method: 'get',
  path: '/data/my-submissions',
  caller: 'required',
  describe: {
    tag: 'Data',
    summary: 'List the submissions of the caller',
    details: `Each submission has an overall status, and the statuses and unread messages of its records. ${PAGED}`,
    returns: 'The submissions, in ascending order of id.',
    example: { parameters: { limit: 10 } },
  },
  query: optionalPageQuery,
  response: z.array(submissionSummary),
});

export const getMyRecord = operation({
  method: 'get',
  path: '/data/experiment/{recordId}',
  caller: 'required',
  describe: {
    tag: 'Data',
    summary: 'Get a record of the caller as a submission',
    details: 'The response can be sent to `PUT /data/update/{recordId}`.',
    returns: 'A submission with only this record.',
    answerHeaders: { ETag: 'The entity tag of the record, for `If-Match` in an update.' },
    errors: ['RECORD_NOT_FOUND'],
    example: { parameters: { recordId: 1 } },
  },
  parameters: z.object({ recordId: idText }),
  response: ownExperiment,
});

export const getMySubmission = operation({
  method: 'get',
  path: '/data/submission/{submissionId}',
  caller: 'required',
  describe: {
    tag: 'Data',
    summary: 'Get a submission of the caller',
    details:
      'Research metadata that all records share appear once. Other research metadata appear with each record. The response can be sent to `PUT /data/update-submission/{submissionId}`.',
    returns: 'The submission with all its records.',
    answerHeaders: {
      ETag: 'The entity tag of the submission, for `If-Match` in an update. It changes with each revision of a record.',
    },
    errors: ['SUBMISSION_NOT_FOUND'],
    example: { parameters: { submissionId: 1 } },
  },
  parameters: z.object({ submissionId: idText }),
  response: ownSubmission,
});

export const listStatuses = operation({
  method: 'get',
  path: '/data/statuses',
  caller: 'ignored',
  describe: { tag: 'Data', summary: 'List the possible statuses of a record', returns: 'The four statuses.' },
  response: z.array(recordStatus),
});
