import { statusToWire } from '@esd/dataset-client/record-status';
import {
  getHistory,
  getMyRecord,
  getMySubmission,
  listMyRecordIds,
  listMyRecords,
  listMySubmissions,
  listPending,
} from '@esd/api/own-data';
import { sendJsonChunks } from '../../http/json-chunks.ts';
import type { Route } from '../../http/route.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { serve } from '../../http/serve.ts';

/** Returns the routes of the caller's own data. Moderators and administrators also see only their own. */
export function ownDataRoutes({ submission }: Pick<Upstream, 'submission'>): Route[] {
  return [
    serve(listMyRecords, {
      targets: ['esd.submission.v1.SubmissionService'],
      handle: async ({ query: { status, skip = 0, limit }, call }, response) => {
        const chunks = submission.listOwnRecords({ status: statusToWire(status), skip, limit }, call);
        await sendJsonChunks(response, chunks);
      },
    }),
    serve(listPending, {
      targets: ['esd.submission.v1.SubmissionService'],
      handle: async ({ query: { skip = 0, limit }, call }, response) => {
        const chunks = submission.listOwnRecords({ status: statusToWire('PENDING'), skip, limit }, call);
        await sendJsonChunks(response, chunks);
      },
    }),
    serve(listMyRecordIds, {
      targets: ['esd.submission.v1.SubmissionService'],
      handle: async ({ query: { status, skip = 0, limit }, call }, response) => {
        const { recordIds } = await submission.listOwnRecordIds({ status: statusToWire(status), skip, limit }, call);
        response.set('Cache-Control', 'no-store').json(recordIds);
      },
    }),
    serve(getHistory, {
      targets: ['esd.submission.v1.SubmissionService'],
      handle: async ({ parameters: { recordId }, call }, response) => {
        await sendJsonChunks(response, submission.getOwnHistory({ recordId }, call));
      },
    }),
    serve(listMySubmissions, {
      targets: ['esd.submission.v1.SubmissionService'],
      handle: async ({ query: { skip = 0, limit }, call }, response) => {
        await sendJsonChunks(response, submission.listOwnSubmissions({ skip, limit }, call));
      },
    }),
    serve(getMyRecord, {
      targets: ['esd.submission.v1.SubmissionService'],
      handle: async ({ parameters: { recordId }, call }, response) => {
        const { submissionJson, entityTag } = await submission.getOwnExperiment({ recordId }, call);
        response
          .set({ ETag: `"${entityTag}"`, 'Cache-Control': 'no-store' })
          .type('json')
          .end(submissionJson);
      },
    }),
    serve(getMySubmission, {
      targets: ['esd.submission.v1.SubmissionService'],
      handle: async ({ parameters: { submissionId }, call }, response) => {
        await sendJsonChunks(response, submission.getOwnSubmission({ submissionId }, call));
      },
    }),
  ];
}
