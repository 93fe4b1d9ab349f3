import { z } from 'zod';
import type { CheckedRecord, RecordOutcome } from '@esd/proto/esd/submission/v1/submission';
import { statusFromWire } from '@esd/dataset-client/record-status';
import { catalogSchema } from '@esd/api/catalog-schema';
import { entityTagsOf } from '../../http/if-match.ts';
import { jsonBytes, SUBMISSION_BYTES, SUBMISSION_MEMBERS } from '../../http/body/json-body.ts';
import { recordStatus } from '@esd/api/record-status';
import { recordWarning, withSeverity } from '@esd/api/record-warning';
import { locationOf } from '../../http/public-url.ts';
import { refusalError } from '../../upstream/refusal.ts';
import { idText } from '@esd/api/number-text';
import { route, type Route } from '../../http/route.ts';
import type { Upstream } from '../../upstream/upstream.ts';

const submitQuery = z.object({
  validate: z.literal('only').optional().meta({ description: 'With `only`, the records are checked but not stored.' }),
});

const checkedRecord = z.strictObject({
  status: recordStatus,
  missingFields: z.array(z.string()),
  warnings: z.array(recordWarning),
});
const recordOutcome = z.strictObject({ recordId: z.int(), ...checkedRecord.shape });
const submissionAnswer = z.strictObject({
  message: z.string(),
  submissionId: z.int(),
  records: z.array(recordOutcome),
});
const checkAnswer = z.strictObject({
  message: z.string(),
  valid: z.literal(true),
  records: z.array(checkedRecord),
});
const submitAnswer: z.ZodType<z.output<typeof submissionAnswer> | z.output<typeof checkAnswer>> = submissionAnswer;
const updateAnswer = z.strictObject({ ...recordOutcome.shape, message: z.string() });

const UNCHANGED = 'Sending unchanged data has no effect, except that a rejected record is submitted again.';

const submissionExample = {
  userMetadata: { name: 'Ada Example', email: 'ada@example.org', consentTerms: true },
  researchMetadata: { publicationTitle: 'An example paper', doi: '10.1000/example' },
  experimentData: [
    {
      polymerProperty: { polymerComponents: [{ polymerName: 'PVA' }] },
      solventProperty: { solventComponents: [{ solventName: 'WATER' }] },
      processParameter: { voltage: 15, voltageUnit: 'kV', flowRate: 0.5, flowRateUnit: 'mL/h' },
    },
  ],
};

export function submitRoutes({ submission }: Pick<Upstream, 'submission'>): Route[] {
  return [
    route({
      method: 'post',
      path: '/data/submit',
      caller: 'optional',
      targets: ['esd.submission.v1.SubmissionService'],
      describe: {
        tag: 'Data',
        summary: 'Submit records',
        details:
          'All records are checked, and all or none are stored. Stored records await review. Without an account, `userMetadata` must contain `name`, `email` and `consentTerms`. A submission without an account can have at most 50 records. At most 500 such records from one network (IPv4 /24, IPv6 /48) can await review. A personal access token lifts both limits.',
        returns: 'The stored records.',
        status: 201,
        alternative: {
          status: 200,
          returns: 'With `validate=only`, the records that would be stored.',
          answer: checkAnswer,
        },
        headers: {
          'Idempotency-Key':
            'Makes it safe to repeat the request. Within 24 hours, the same key and body return the first response again, and a different body is rejected. The key has 1 to 255 printable ASCII characters.',
        },
        answerHeaders: {
          Location: 'The URL of the submission.',
          'Idempotent-Replayed': '`true` if an earlier request with the same `Idempotency-Key` stored the submission.',
        },
        errors: ['MISSING_FIELDS', 'CONFLICT'],
        example: { body: submissionExample },
      },
      query: submitQuery,
      body: jsonBytes(SUBMISSION_BYTES, catalogSchema('SubmitDataDTO'), SUBMISSION_MEMBERS),
      answer: submitAnswer,
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
    route({
      method: 'put',
      path: '/data/update/:recordId',
      caller: 'required',
      targets: ['esd.submission.v1.SubmissionService'],
      describe: {
        tag: 'Data',
        summary: 'Update a record',
        details: `Replaces the data of the record with the only item of \`experimentData\`. The record awaits review again. Its published revision remains public until the edit is approved. ${UNCHANGED}`,
        returns: 'The stored record.',
        headers: {
          'If-Match':
            'The entity tag that `/data/experiment/{recordId}` returned. The update fails with 412 if the record has changed.',
        },
        answerHeaders: { ETag: 'The entity tag of the record after the update.' },
        errors: ['MISSING_FIELDS', 'RECORD_NOT_FOUND', 'PRECONDITION_FAILED'],
        example: { parameters: { recordId: 1 }, body: submissionExample },
      },
      parameters: z.object({ recordId: idText }),
      body: jsonBytes(SUBMISSION_BYTES, catalogSchema('SubmitDataDTO'), SUBMISSION_MEMBERS),
      answer: updateAnswer,
      handle: async ({ parameters: { recordId }, body, request, call }, response) => {
        const entityTags = entityTagsOf(request.get('if-match'));
        const { outcome } = await submission.updateRecord({ recordId, submissionJson: body, entityTags }, call);
        if (outcome?.$case === 'refusal') throw refusalError(outcome.value);
        if (!outcome?.value.record) throw new Error('the response has no outcome');
        const { message, record, entityTag } = outcome.value;
        response.set('ETag', `"${entityTag}"`).json({ ...recordAnswer(record), message });
      },
    }),
    route({
      method: 'put',
      path: '/data/update-submission/:submissionId',
      caller: 'required',
      targets: ['esd.submission.v1.SubmissionService'],
      describe: {
        tag: 'Data',
        summary: 'Update every record of a submission',
        details: `Updates all records or none. If each item has a \`recordId\`, items are matched by it, otherwise by order. ${UNCHANGED}`,
        returns: 'The stored records, in the order of the items.',
        headers: {
          'If-Match':
            'The entity tag that `/data/submission/{submissionId}` returned. The update fails with 412 if one of the records has changed.',
        },
        answerHeaders: { ETag: 'The entity tag of the submission after the update.' },
        errors: ['MISSING_FIELDS', 'SUBMISSION_NOT_FOUND', 'PRECONDITION_FAILED'],
        example: { parameters: { submissionId: 1 }, body: submissionExample },
      },
      parameters: z.object({ submissionId: idText }),
      body: jsonBytes(SUBMISSION_BYTES, catalogSchema('SubmitDataDTO'), SUBMISSION_MEMBERS),
      answer: submissionAnswer,
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
