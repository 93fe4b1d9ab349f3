import { z } from 'zod';
import { statusFromWire } from '@esd/dataset-client/record-status';
import type { GetReviewResponse } from '@esd/proto/esd/submission/v1/submission';
import { recordIdText, route, type Route } from '../../http/route.ts';
import { recordStatus } from '../../schemas/record-status.ts';
import { recordWarning, withSeverity } from '../../schemas/record-warning.ts';
import { catalogSchema } from '../../schemas/catalog-schema.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { REVIEWER, waiting, waitingOf } from './queue.ts';

const change = z.strictObject({
  path: z.string().meta({ description: 'The path of the field, such as `processParameter.voltage`.' }),
  published: z.unknown().optional().meta({ description: 'The public value; absent if there is no public value.' }),
  proposed: z.unknown().optional().meta({ description: 'The value that an approval would publish.' }),
});
const historyEntry = z.strictObject({
  at: z.iso.datetime(),
  action: z.string().meta({
    description:
      '`submit`, `update`, `approve`, `reject`, `withdraw`, `restore`, `reopen`, `delete_account`, `erase` or `erase_submitter`.',
  }),
  revision: z.int(),
  accountId: z.uuid().optional().meta({ description: 'Absent for a caller without an account.' }),
  reason: z.string().optional(),
});
const review = z.strictObject({
  ...waiting,
  imageOnly: z.boolean(),
  submitter: z
    .record(z.string(), z.union([z.string(), z.boolean()]))
    .optional()
    .meta({ description: 'The `userMetadata` of the submission; absent once it is erased.' }),
  record: catalogSchema('ExperimentDataDTO'),
  missingFields: z.array(z.string()),
  warnings: z.array(recordWarning),
  history: z.array(historyEntry).meta({ description: 'At most the newest 1,000 entries, in chronological order.' }),
  historyCount: z.int().min(1),
  changes: z.array(change).meta({
    description: 'The differences from the published revision, by field; empty if there is no published revision.',
  }),
  publishedRecord: catalogSchema('ExperimentDataDTO').optional().meta({
    description:
      'The public revision, or the one that was public before the withdrawal. Absent if it is the newest revision, or if no revision was public.',
  }),
  duplicates: z
    .array(z.strictObject({ recordId: z.int(), status: recordStatus, published: z.boolean() }))
    .meta({ description: 'Records of any status with the same values and DOI, in ascending order of id; at most 20.' }),
});

export function moderationRecordRoutes({ moderation }: Pick<Upstream, 'moderation'>): Route[] {
  return [
    route({
      method: 'get',
      path: '/moderation/records/:id',
      caller: 'required',
      role: 'MODERATOR',
      targets: ['esd.submission.v1.ModerationService'],
      describe: {
        tag: 'Moderation',
        summary: 'Get a record for review',
        details: `${REVIEWER} Contains the newest revision, the history of the record, and the changes that an approval would publish.`,
        returns: 'The record with its history and its differences from the published revision.',
        answerHeaders: { ETag: 'The entity tag of the record, for `If-Match` in a decision.' },
        errors: ['FORBIDDEN', 'RECORD_NOT_FOUND'],
        example: { parameters: { id: 1 } },
      },
      parameters: z.object({ id: recordIdText }),
      answer: review,
      handle: async ({ parameters, call }, response) => {
        const answer = await moderation.getReview({ recordId: parameters.id }, call);
        response.set({ ETag: `"${answer.entityTag}"`, 'Cache-Control': 'no-store' }).json(reviewOf(answer));
      },
    }),
  ];
}

function reviewOf(answer: GetReviewResponse): z.output<typeof review> {
  const { imageOnly, submitterJson, recordJson, missingFields, warnings, history, historyCount, changes } = answer;
  const { publishedJson, duplicates } = answer;
  return {
    ...waitingOf(answer),
    imageOnly,
    // Validated by submission-svc.
    submitter: submitterJson.length > 0 ? review.shape.submitter.parse(fromJson(submitterJson)) : undefined,
    record: fromJson(recordJson),
    missingFields,
    warnings: warnings.map(withSeverity),
    history: history.map(({ at, ...entry }) => {
      if (!at) throw new Error(`the history of record ${answer.recordId} has no times`);
      return { at: at.toISOString(), ...entry };
    }),
    historyCount,
    changes: changes.map(({ path, publishedJson, proposedJson }) => ({
      path,
      ...(publishedJson === undefined ? {} : { published: fromJson(publishedJson) }),
      ...(proposedJson === undefined ? {} : { proposed: fromJson(proposedJson) }),
    })),
    ...(publishedJson.length > 0 ? { publishedRecord: fromJson(publishedJson) } : {}),
    duplicates: duplicates.map(({ recordId, status, published }) => {
      const name = statusFromWire(status);
      if (!name) throw new Error(`record ${recordId} has no status`);
      return { recordId, status: name, published };
    }),
  };
}

function fromJson(json: Uint8Array): unknown {
  return JSON.parse(Buffer.from(json).toString());
}
