import { z } from 'zod';
import type { CheckedRecord, RecordOutcome } from '@esd/proto/esd/submission/v1/submission';
import { recordStatuses } from '@esd/record/record-status';
import { catalogueSchema } from '../catalogue-schema.ts';
import { entityTagsOf } from '../if-match.ts';
import { jsonBytes, SUBMISSION_BYTES, SUBMISSION_MEMBERS } from '../json-body.ts';
import { fromWireStatus, recordStatus } from '../record-status.ts';
import { refusalError } from '../refusal.ts';
import { recordIdText, route, type Route } from '../route.ts';
import type { Upstream } from '../upstream.ts';
import { submissionIdText } from './own-data.ts';

const submitQuery = z.object({
  validate: z
    .literal('only', 'must be "only"')
    .optional()
    .meta({ description: 'Everything is checked and nothing is stored.' }),
});

const checkedRecord = z.strictObject({
  status: recordStatus,
  missingFields: z.array(z.string()),
  warnings: z.array(z.strictObject({ path: z.string(), code: z.string(), message: z.string() })),
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

const TWICE = 'The same data as before change nothing; what was declined is handed in again.';

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

/** Submission and update of records. */
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
      targets: ['esd.submission.v1.SubmissionService'],
      describe: {
        tag: 'Data',
        summary: 'Submit records',
        details:
          'The records are checked whole and stored all or none; they await review. Without an account userMetadata must hold name, email and consentTerms, a submission has at most 50 records, and 500 records of one network (IPv4 /24, IPv6 /48) may await review; a personal access token lifts both.',
        returns: 'What was stored.',
        status: 201,
        alternative: { status: 200, returns: 'With validate=only: what would be stored.', answer: checkAnswer },
        headers: {
          'Idempotency-Key':
            'Makes a repetition safe: the same key and body within 24 hours get the first answer again, another body is refused. 1 to 255 printable ASCII characters.',
        },
        answerHeaders: {
          Location: 'The submission.',
          'Idempotent-Replayed': '`true` where an earlier request with the same Idempotency-Key stored it.',
        },
        errors: ['MISSING_FIELDS', 'CONFLICT'],
        example: { body: submissionExample },
      },
      query: submitQuery,
      body: jsonBytes(SUBMISSION_BYTES, catalogueSchema('SubmitDataDTO'), SUBMISSION_MEMBERS),
      answer: submitAnswer,
      handle: async ({ query, body, request, call }, response) => {
        const idempotencyKey = request.get('idempotency-key');
        const asked = { submissionJson: body, validateOnly: query.validate === 'only', idempotencyKey };
        const { outcome } = await submission.submit(asked, call);
        switch (outcome?.$case) {
          case 'refusal':
            throw refusalError(outcome.value);
          case 'checked': {
            const { message, records } = outcome.value;
            response.json({ message, valid: true, records: records.map(judgement) });
            return;
          }
          case 'stored': {
            const { message, submissionId, records, replayed } = outcome.value;
            if (replayed) response.set('Idempotent-Replayed', 'true');
            response.status(201).location(`${request.baseUrl}/data/submission/${submissionId}`);
            response.json({ message, submissionId, records: records.map(recordAnswer) });
            return;
          }
          case undefined:
            throw new Error('a submission without an outcome');
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
        details: `Replaces the record’s data by the one item of experimentData; it awaits review again. What is public stays so until the edit is approved. ${TWICE}`,
        returns: 'What was stored.',
        headers: {
          'If-Match': 'The entity tag of /data/experiment/{recordId}: the update is refused where it has changed.',
        },
        answerHeaders: { ETag: 'The record’s entity tag now.' },
        errors: ['MISSING_FIELDS', 'RECORD_NOT_FOUND', 'PRECONDITION_FAILED'],
        example: { parameters: { recordId: 1 }, body: submissionExample },
      },
      parameters: z.object({ recordId: recordIdText }),
      body: jsonBytes(SUBMISSION_BYTES, catalogueSchema('SubmitDataDTO'), SUBMISSION_MEMBERS),
      answer: updateAnswer,
      handle: async ({ parameters: { recordId }, body, request, call }, response) => {
        const entityTags = entityTagsOf(request.get('if-match'));
        const { outcome } = await submission.updateRecord({ recordId, submissionJson: body, entityTags }, call);
        if (outcome?.$case === 'refusal') throw refusalError(outcome.value);
        if (!outcome?.value.record) throw new Error('an update without an outcome');
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
        details: `All or none. Items mean records by recordId where each item has one, else by order. ${TWICE}`,
        returns: 'What was stored, in the order of the items.',
        errors: ['MISSING_FIELDS', 'SUBMISSION_NOT_FOUND'],
        example: { parameters: { submissionId: 1 }, body: submissionExample },
      },
      parameters: z.object({ submissionId: submissionIdText }),
      body: jsonBytes(SUBMISSION_BYTES, catalogueSchema('SubmitDataDTO'), SUBMISSION_MEMBERS),
      answer: submissionAnswer,
      handle: async ({ parameters: { submissionId }, body, call }, response) => {
        const { outcome } = await submission.updateSubmission({ submissionId, submissionJson: body }, call);
        if (outcome?.$case === 'refusal') throw refusalError(outcome.value);
        if (outcome?.$case !== 'updated') throw new Error('an update without an outcome');
        const { message, records } = outcome.value;
        response.json({ message, submissionId, records: records.map(recordAnswer) });
      },
    }),
  ];
}

function judgement({ status, missingFields, warnings }: CheckedRecord): z.output<typeof checkedRecord> {
  const name = fromWireStatus(status);
  if (!name) throw new Error('a record without a status');
  return { status: name, missingFields, warnings };
}

function recordAnswer({ recordId, ...outcome }: RecordOutcome): z.output<typeof recordOutcome> {
  return { recordId, ...judgement(outcome) };
}
