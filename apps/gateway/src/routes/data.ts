import { z } from 'zod';
import type { Refusal, SubmissionStored } from '@esd/proto/esd/submission/v1/submission';
import { recordStatuses } from '@esd/record/record-status';
import { isErrorCode } from '@esd/service/errors';
import { catalogueSchema } from '../catalogue-schema.ts';
import { DetailedError } from '../errors.ts';
import { jsonBytes, SUBMISSION_BYTES } from '../json-body.ts';
import { fromWireStatus, recordStatus, toWireStatus } from '../record-status.ts';
import { route, type Route } from '../route.ts';
import type { Upstream } from '../upstream.ts';

const statusQuery = z.object({ status: recordStatus.optional() });

const submissionAnswer = z.strictObject({
  message: z.string(),
  submissionId: z.int(),
  records: z.array(
    z.strictObject({
      recordId: z.int(),
      status: recordStatus,
      missingFields: z.array(z.string()),
      warnings: z.array(z.strictObject({ path: z.string(), code: z.string(), message: z.string() })),
    }),
  ),
});

const submissionExample = {
  userMetadata: { name: 'Ada Example', email: 'ada@example.org', consentTerms: true },
  researchMetadata: { publicationTitle: 'Fibers of an example', doi: '10.1000/example' },
  experimentData: [
    {
      polymerProperty: { polymerComponents: [{ polymerName: 'PVA' }] },
      solventProperty: { solventComponents: [{ solventName: 'WATER' }] },
      processParameter: { voltage: 15, voltageUnit: 'kV', flowRate: 0.5, flowRateUnit: 'mL/h' },
    },
  ],
};

/** Submission of records, and own data. */
export function dataRoutes({ submission }: Pick<Upstream, 'submission'>): Route[] {
  return [
    route({
      method: 'get',
      path: '/data/statuses',
      caller: 'ignored',
      describe: { tag: 'Data', summary: 'The statuses of a record', returns: 'The four statuses.' },
      answer: z.array(recordStatus),
      handle: (_input, response) => {
        response.json([...recordStatuses]);
      },
    }),
    route({
      method: 'post',
      path: '/data/submit',
      caller: 'optional',
      describe: {
        tag: 'Data',
        summary: 'Submit records',
        details:
          'The records are checked whole and stored all or none; they await review. Without an account userMetadata must hold name, email and consentTerms.',
        returns: 'What was stored.',
        status: 201,
        answerHeaders: { Location: 'The submission.' },
        errors: ['MISSING_FIELDS'],
        example: { body: submissionExample },
      },
      body: jsonBytes(SUBMISSION_BYTES, catalogueSchema('SubmitDataDTO')),
      answer: submissionAnswer,
      handle: async ({ body, request, call }, response) => {
        const { outcome } = await submission.submit({ submissionJson: body }, call);
        if (outcome?.$case === 'refusal') throw refusalError(outcome.value);
        if (outcome?.$case !== 'stored') throw new Error('a submission without an outcome');
        const answer = storedAnswer(outcome.value);
        response.status(201).location(`${request.baseUrl}/data/submission/${answer.submissionId}`).json(answer);
      },
    }),
    route({
      method: 'get',
      path: '/data/my-records/ids',
      caller: 'required',
      describe: {
        tag: 'Data',
        summary: 'Ids of the caller’s records',
        details: 'Without a status, of all of them.',
        returns: 'The record ids, ascending.',
        example: { parameters: { status: 'APPROVED' } },
      },
      query: statusQuery,
      answer: z.array(z.int()),
      handle: async ({ query, call }, response) => {
        const { recordIds } = await submission.listOwnRecordIds({ status: toWireStatus(query.status) }, call);
        response.set('Cache-Control', 'no-store').json(recordIds);
      },
    }),
  ];
}

function storedAnswer({ message, submissionId, records }: SubmissionStored): z.output<typeof submissionAnswer> {
  return {
    message,
    submissionId,
    records: records.map(({ recordId, status, missingFields, warnings }) => {
      const name = fromWireStatus(status);
      if (!name) throw new Error(`record ${recordId} without a status`);
      return { recordId, status: name, missingFields, warnings };
    }),
  };
}

function refusalError({ code, message, problems, problemCount, missingFields }: Refusal): Error {
  if (!isErrorCode(code)) return new Error(`a refusal with the unknown code "${code}"`);
  return new DetailedError(code, message, {
    ...(problems.length > 0 ? { errors: problems, errorCount: problemCount } : {}),
    ...(missingFields.length > 0 ? { missingFields } : {}),
  });
}
