import { z } from 'zod';
import type { Refusal, SubmissionStored } from '@esd/proto/esd/submission/v1/submission';
import { recordStatuses } from '@esd/record/record-status';
import { isErrorCode } from '@esd/service/errors';
import { DetailedError } from '../errors.ts';
import { readJsonBytes, SUBMISSION_BYTES } from '../json-body.ts';
import { fromWireStatus, toWireStatus } from '../record-status.ts';
import { route, type Route } from '../route.ts';
import type { Upstream } from '../upstream.ts';

const statusQuery = z.object({
  status: z.enum(recordStatuses, `must be one of ${recordStatuses.join(', ')}`).optional(),
});

const submissionAnswer = z.object({
  message: z.string(),
  submissionId: z.int(),
  records: z.array(
    z.object({
      recordId: z.int(),
      status: z.enum(recordStatuses),
      missingFields: z.array(z.string()),
      warnings: z.array(z.object({ path: z.string(), code: z.string(), message: z.string() })),
    }),
  ),
});

/** Submission of records, and own data. */
export function dataRoutes({ submission }: Pick<Upstream, 'submission'>): Route[] {
  return [
    route({
      method: 'get',
      path: '/data/statuses',
      caller: 'ignored',
      answer: z.array(z.enum(recordStatuses)),
      handle: (_input, response) => {
        response.json([...recordStatuses]);
      },
    }),
    route({
      method: 'post',
      path: '/data/submit',
      caller: 'optional',
      body: (request) => readJsonBytes(request, SUBMISSION_BYTES),
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
