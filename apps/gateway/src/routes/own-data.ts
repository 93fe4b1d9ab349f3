import { z } from 'zod';
import { recordStatuses } from '@esd/record/record-status';
import { catalogueSchema } from '../catalogue-schema.ts';
import { sendJsonParts } from '../json-parts.ts';
import { integerText } from '../query.ts';
import { recordStatus, toWireStatus } from '../record-status.ts';
import { recordIdText, route, type Route } from '../route.ts';
import type { Upstream } from '../upstream.ts';

const MOST_A_PAGE = 1_000;

const pageQuery = z.object({
  skip: integerText(0, Number.MAX_SAFE_INTEGER).optional(),
  limit: integerText(1, MOST_A_PAGE).optional(),
});
const recordsQuery = pageQuery.extend({ status: recordStatus.optional() });

/** The id of a submission in a path. */
export const submissionIdText = integerText(1, Number.MAX_SAFE_INTEGER);

/** What an answer says of a record beside its data; an update ignores it. */
const recordState = z.looseObject({
  recordId: z.int(),
  experimentId: z.int(),
  status: recordStatus,
  missingFields: z.array(z.string()).meta({ description: 'Paths of the mandatory fields that are missing.' }),
  rejectionReason: z.string().optional().meta({ description: 'Why a moderator declined it, while it is REJECTED.' }),
  revision: z.int().meta({ description: 'Of the data.' }),
  publishedRevision: z.int().optional().meta({ description: 'The revision that is public, where one is.' }),
});
const ownRecord = z.intersection(catalogueSchema('ExperimentDataDTO'), recordState).meta({ id: 'OwnRecord' });
const submissionStatus = z.enum([...recordStatuses, 'MIXED', 'EMPTY']);
const ownExperiment = z.intersection(
  catalogueSchema('SubmitDataDTO'),
  z.looseObject({
    submissionId: z.int(),
    submittedAt: z.iso.datetime(),
    experimentData: z.array(ownRecord).min(1).max(1),
  }),
);
const ownSubmission = z.intersection(
  catalogueSchema('SubmitDataDTO'),
  z.looseObject({
    submissionId: z.int(),
    status: submissionStatus,
    submittedAt: z.iso.datetime(),
    experimentData: z.array(ownRecord),
  }),
);
const submissionSummary = z.strictObject({
  submissionId: z.int(),
  status: submissionStatus.meta({ description: 'The one that all records have, else MIXED; EMPTY without records.' }),
  submittedAt: z.iso.datetime(),
  recordCount: z.int(),
  counts: z.partialRecord(recordStatus, z.int()).meta({ description: 'Records by status.' }),
  records: z.array(z.strictObject({ recordId: z.int(), status: recordStatus, missingFields: z.array(z.string()) })),
});

const PAGED = 'Without skip and limit all of them; a long list comes as it is read.';

/** Queries of the caller's own data: nobody sees another's here, whatever their role. */
export function ownDataRoutes({ submission }: Pick<Upstream, 'submission'>): Route[] {
  return [
    route({
      method: 'get',
      path: '/data/my-records',
      caller: 'required',
      targets: ['esd.submission.v1.SubmissionService'],
      describe: {
        tag: 'Data',
        summary: 'The caller’s records',
        details: `In the shape in which they are submitted, as of their newest revision. ${PAGED}`,
        returns: 'The records by ascending id.',
        example: { parameters: { status: 'APPROVED', limit: 10 } },
      },
      query: recordsQuery,
      answer: z.array(ownRecord),
      handle: async ({ query: { status, skip = 0, limit }, call }, response) => {
        const parts = submission.listOwnRecords({ status: toWireStatus(status), skip, limit }, call);
        await sendJsonParts(response, parts);
      },
    }),
    route({
      method: 'get',
      path: '/data/pending',
      caller: 'required',
      targets: ['esd.submission.v1.SubmissionService'],
      describe: {
        tag: 'Data',
        summary: 'The caller’s records that await review',
        details: 'The older form of /data/my-records?status=PENDING.',
        returns: 'The records by ascending id.',
      },
      query: pageQuery,
      answer: z.array(ownRecord),
      handle: async ({ query: { skip = 0, limit }, call }, response) => {
        const parts = submission.listOwnRecords({ status: toWireStatus('PENDING'), skip, limit }, call);
        await sendJsonParts(response, parts);
      },
    }),
    route({
      method: 'get',
      path: '/data/my-records/ids',
      caller: 'required',
      targets: ['esd.submission.v1.SubmissionService'],
      describe: {
        tag: 'Data',
        summary: 'Ids of the caller’s records',
        details: 'Without a status, of all of them.',
        returns: 'The record ids, ascending.',
        example: { parameters: { status: 'APPROVED' } },
      },
      query: recordsQuery,
      answer: z.array(z.int()),
      handle: async ({ query: { status, skip = 0, limit }, call }, response) => {
        const { recordIds } = await submission.listOwnRecordIds({ status: toWireStatus(status), skip, limit }, call);
        response.set('Cache-Control', 'no-store').json(recordIds);
      },
    }),
    route({
      method: 'get',
      path: '/data/my-submissions',
      caller: 'required',
      targets: ['esd.submission.v1.SubmissionService'],
      describe: {
        tag: 'Data',
        summary: 'The caller’s submissions',
        details: `Each with its aggregate status and the states of its records. ${PAGED}`,
        returns: 'The submissions by ascending id.',
        example: { parameters: { limit: 10 } },
      },
      query: pageQuery,
      answer: z.array(submissionSummary),
      handle: async ({ query: { skip = 0, limit }, call }, response) => {
        await sendJsonParts(response, submission.listOwnSubmissions({ skip, limit }, call));
      },
    }),
    route({
      method: 'get',
      path: '/data/experiment/:recordId',
      caller: 'required',
      targets: ['esd.submission.v1.SubmissionService'],
      describe: {
        tag: 'Data',
        summary: 'One of the caller’s records as it is submitted',
        details: 'What this answers can be sent back to /data/update/{recordId}.',
        returns: 'A submission with the one record.',
        answerHeaders: { ETag: 'The record’s entity tag, for If-Match of an update.' },
        errors: ['RECORD_NOT_FOUND'],
        example: { parameters: { recordId: 1 } },
      },
      parameters: z.object({ recordId: recordIdText }),
      answer: ownExperiment,
      handle: async ({ parameters: { recordId }, call }, response) => {
        const { submissionJson, entityTag } = await submission.getOwnExperiment({ recordId }, call);
        response
          .set({ ETag: `"${entityTag}"`, 'Cache-Control': 'no-store' })
          .type('json')
          .end(submissionJson);
      },
    }),
    route({
      method: 'get',
      path: '/data/submission/:submissionId',
      caller: 'required',
      targets: ['esd.submission.v1.SubmissionService'],
      describe: {
        tag: 'Data',
        summary: 'One of the caller’s submissions',
        details:
          'Research metadata that all records have in common stand once, the rest with each record. What this answers can be sent back to /data/update-submission/{submissionId}.',
        returns: 'The submission with all of its records.',
        errors: ['SUBMISSION_NOT_FOUND'],
        example: { parameters: { submissionId: 1 } },
      },
      parameters: z.object({ submissionId: submissionIdText }),
      answer: ownSubmission,
      handle: async ({ parameters: { submissionId }, call }, response) => {
        await sendJsonParts(response, submission.getOwnSubmission({ submissionId }, call));
      },
    }),
  ];
}
