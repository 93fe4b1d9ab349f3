import type { z } from 'zod';
import type { CheckedRecord, RecordOutcome } from '@esd/proto/esd/submission/v1/submission';
import { statusFromWire } from '@esd/dataset-client/record-status';
import { catalogSchema } from '@esd/api/catalog-schema';
import { withSeverity } from '@esd/api/record-warning';
import type { checkedRecord, recordOutcome } from '@esd/api/submissions';
import { submit, updateRecord, updateSubmission } from '@esd/api/submissions';
import { refusalError } from '@esd/service/rpc/rpc-errors';
import { entityTagsOf } from '../../http/if-match.ts';
import { jsonBytes, SUBMISSION_BYTES, SUBMISSION_MEMBERS } from '../../http/body/json-body.ts';
import { locationOf } from '../../http/public-url.ts';
import type { Route } from '../../http/route.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { serve } from '../../http/serve.ts';

export function submitRoutes({ submission }: Pick<Upstream, 'submission'>): Route[] {
  return [
    serve(submit, {
      targets: ['esd.submission.v1.SubmissionService'],
      body: jsonBytes(SUBMISSION_BYTES, catalogSchema('SubmitDataDTO'), SUBMISSION_MEMBERS),
      handle: async ({ query, body, request, call }, response) => {
        const idempotencyKey = request.get('idempotency-key');
        const input = { submissionJson: body, validateOnly: query.validate === 'only', idempotencyKey };
        const { outcome } = await submission.submit(input, call);
        switch (outcome?.$case) {
          case 'refusal':
            throw refusalError(outcome.value);
          case 'checked': {
            const { message, records } = outcome.value;
            response.json({ message, valid: true, records: records.map(checkedAnswer) });
            return;
          }
          case 'stored': {
            const { message, submissionId, records, replayed } = outcome.value;
            if (replayed) response.set('Idempotent-Replayed', 'true');
            response.status(201).location(locationOf(request, `/data/submission/${submissionId}`));
            response.json({ message, submissionId, records: records.map(recordAnswer) });
            return;
          }
          case undefined:
            throw new Error('the response has no outcome');
        }
      },
    }),
    serve(updateRecord, {
      targets: ['esd.submission.v1.SubmissionService'],
      body: jsonBytes(SUBMISSION_BYTES, catalogSchema('SubmitDataDTO'), SUBMISSION_MEMBERS),
      handle: async ({ parameters: { recordId }, body, request, call }, response) => {
        const entityTags = entityTagsOf(request.get('if-match'));
        const { outcome } = await submission.updateRecord({ recordId, submissionJson: body, entityTags }, call);
        if (outcome?.$case === 'refusal') throw refusalError(outcome.value);
        if (!outcome?.value.record) throw new Error('the response has no outcome');
        const { message, record, entityTag } = outcome.value;
        response.set('ETag', `"${entityTag}"`).json({ ...recordAnswer(record), message });
      },
    }),
    serve(updateSubmission, {
      targets: ['esd.submission.v1.SubmissionService'],
      body: jsonBytes(SUBMISSION_BYTES, catalogSchema('SubmitDataDTO'), SUBMISSION_MEMBERS),
      handle: async ({ parameters: { submissionId }, body, request, call }, response) => {
        const entityTags = entityTagsOf(request.get('if-match'));
        const { outcome } = await submission.updateSubmission({ submissionId, submissionJson: body, entityTags }, call);
        if (outcome?.$case === 'refusal') throw refusalError(outcome.value);
        if (outcome?.$case !== 'updated') throw new Error('the response has no outcome');
        const { message, records, entityTag } = outcome.value;
        response.set('ETag', `"${entityTag}"`);
        response.json({ message, submissionId, records: records.map(recordAnswer) });
      },
    }),
  ];
}

function checkedAnswer({ status, missingFields, warnings }: CheckedRecord): z.output<typeof checkedRecord> {
  const name = statusFromWire(status);
  if (!name) throw new Error('the record has no status');
  return { status: name, missingFields, warnings: warnings.map(withSeverity) };
}

function recordAnswer({ recordId, ...outcome }: RecordOutcome): z.output<typeof recordOutcome> {
  return { recordId, ...checkedAnswer(outcome) };
}
