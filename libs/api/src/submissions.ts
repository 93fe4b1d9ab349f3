import { z } from 'zod';
import { ALLOWANCES } from './allowances.ts';
import { idText } from './number-text.ts';
import { operation } from './operation.ts';
import { recordStatus } from './record-status.ts';
import { recordWarning } from './record-warning.ts';

const submitQuery = z.object({
  validate: z.literal('only').optional().meta({ description: 'With `only`, the records are checked but not stored.' }),
});

export const checkedRecord = z.strictObject({
  status: recordStatus,
  missingFields: z.array(z.string()),
  warnings: z.array(recordWarning),
});

export const recordOutcome = z.strictObject({ recordId: z.int(), ...checkedRecord.shape });

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

export const submit = operation({
  method: 'post',
  path: '/data/submit',
  caller: 'optional',
  describe: {
    tag: 'Data',
    summary: 'Submit records',
    details: `All records are checked, and all or none are stored. Stored records await review. Without an account, \`userMetadata\` must contain \`name\`, \`email\` and \`consentTerms\`. A submission without an account can have at most ${ALLOWANCES.anonymous.records.amount} records. At most ${ALLOWANCES.anonymous.pending.amount} such records from one network (IPv4 /24, IPv6 /48) can await review. A personal access token lifts both limits.`,
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
  response: submitAnswer,
});

export const updateRecord = operation({
  method: 'put',
  path: '/data/update/{recordId}',
  caller: 'required',
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
  response: updateAnswer,
});

export const updateSubmission = operation({
  method: 'put',
  path: '/data/update-submission/{submissionId}',
  caller: 'required',
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
  response: submissionAnswer,
});
