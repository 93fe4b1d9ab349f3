import { z } from 'zod';
import type { Reviewed, ReviewConflict, ReviewedRecord } from '@esd/proto/esd/submission/v1/submission';
import { statusFromWire } from '@esd/dataset-client/record-status';
import type { ErrorItem } from '@esd/service/http/error-body';
import { isErrorCode, ServiceError } from '@esd/service/errors';
import { entityTagsOf } from '../../http/if-match.ts';
import { jsonBody, optionalJsonBody } from '../../http/body/json-body.ts';
import type { Description } from '../../http/route-description.ts';
import { originText } from '../../schemas/origin-text.ts';
import { plainText } from '../../schemas/plain-text.ts';
import { recordStatus } from '../../schemas/record-status.ts';
import { recordIdText, route, type Route } from '../../http/route.ts';
import type { Upstream } from '../../upstream/upstream.ts';

const MAX_REVISION = 2 ** 31 - 1;
const MAX_RECORDS = 1_000;

export const revision = z
  .int()
  .min(1)
  .max(MAX_REVISION)
  .meta({ description: 'The revision that was reviewed; defaults to the newest.' });
const reason = plainText(1, 2_000).meta({
  description: 'The reason for the rejection. It is sent to the contributor.',
});

const many = {
  recordIds: z.array(z.int().min(1)).min(1).max(MAX_RECORDS),
  revisions: z
    .array(revision)
    .optional()
    .meta({ description: 'The reviewed revision of each record, in the order of `recordIds`.' }),
};
const approveOneBody = z.strictObject({ revision: revision.optional() });
const rejectOneBody = z.strictObject({ reason, revision: revision.optional() });
const approveManyBody = z.strictObject(many).superRefine(checkMany);
const rejectManyBody = z
  .strictObject({
    recordIds: many.recordIds.optional(),
    revisions: many.revisions,
    origin: originText.optional().meta({
      description:
        'Replaces `recordIds`. Selects all records without an account from this origin that await review, at most 1,000.',
    }),
    reason,
  })
  .superRefine(checkSelection);

export const reviewedRecord = z.strictObject({
  recordId: z.int(),
  status: recordStatus,
  revision: z.int(),
});
export const reviewedMany = z.strictObject({
  success: z.literal(true),
  message: z.string(),
  records: z.array(reviewedRecord),
});
const decidedMany = reviewedMany.extend({
  decision: z.strictObject({ id: z.int(), undoUntil: z.iso.datetime() }).meta({
    description: 'The decision, for `POST /moderation/decisions/{id}/undo` until `undoUntil`.',
  }),
});

/** The outcome of a decision. Each RPC has its own message type of this shape. */
type Outcome = { $case: 'reviewed'; value: Reviewed } | { $case: 'conflict'; value: ReviewConflict } | undefined;

export const ofOne = {
  tag: 'Moderation',
  details:
    'Requires the role MODERATOR or ADMIN; only an ADMIN can review their own records. Without a revision, the decision applies to the newest PENDING revision. With a revision, the call fails with 412 if the record has changed.',
  headers: { 'If-Match': 'The entity tag that `/moderation/records/{id}` returned.' },
  answerHeaders: { ETag: 'The entity tag of the record.' },
  errors: ['FORBIDDEN', 'RECORD_NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
} as const satisfies Partial<Description>;
const ofMany = {
  tag: 'Moderation',
  details:
    'The decision applies to all records or none. If it is refused, `errors` lists every record that cannot be decided, with its status and newest revision.',
  errors: ['FORBIDDEN', 'CONFLICT'],
} as const satisfies Partial<Description>;

export function moderationDecisionRoutes({ moderation }: Pick<Upstream, 'moderation'>): Route[] {
  return [
    route({
      method: 'post',
      path: '/moderation/records/:id/approve',
      caller: 'required',
      role: 'MODERATOR',
      targets: ['esd.submission.v1.ModerationService'],
      describe: {
        ...ofOne,
        summary: 'Approve a record',
        returns: 'The approved record.',
        example: { parameters: { id: 1 }, body: { revision: 1 } },
      },
      parameters: z.object({ id: recordIdText }),
      body: optionalJsonBody(approveOneBody),
      answer: reviewedRecord,
      handle: async ({ parameters: { id }, body, request, call }, response) => {
        const entityTags = entityTagsOf(request.get('if-match'));
        const records = [{ recordId: id, revision: body?.revision, entityTags }];
        const record = reviewedOne((await moderation.approveRecords({ records, bulk: false }, call)).outcome);
        response.set('ETag', `"${record.entityTag}"`).json(reviewed(record));
      },
    }),
    route({
      method: 'post',
      path: '/moderation/records/:id/reject',
      caller: 'required',
      role: 'MODERATOR',
      targets: ['esd.submission.v1.ModerationService'],
      describe: {
        ...ofOne,
        summary: 'Reject a record',
        returns: 'The rejected record. Its published revision remains public.',
        example: {
          parameters: { id: 4 },
          body: { reason: 'The voltage differs from the one in the paper.', revision: 1 },
        },
      },
      parameters: z.object({ id: recordIdText }),
      body: jsonBody(rejectOneBody),
      answer: reviewedRecord,
      handle: async ({ parameters: { id }, body, request, call }, response) => {
        const entityTags = entityTagsOf(request.get('if-match'));
        const records = [{ recordId: id, revision: body.revision, entityTags }];
        const record = reviewedOne(
          (await moderation.rejectRecords({ records, reason: body.reason, bulk: false }, call)).outcome,
        );
        response.set('ETag', `"${record.entityTag}"`).json(reviewed(record));
      },
    }),
    route({
      method: 'post',
      path: '/moderation/approve',
      caller: 'required',
      role: 'MODERATOR',
      targets: ['esd.submission.v1.ModerationService'],
      describe: {
        ...ofMany,
        summary: 'Approve many records',
        returns: 'The approved records, in the order of `recordIds`.',
        example: { body: { recordIds: [2, 3], revisions: [1, 1] } },
      },
      body: jsonBody(approveManyBody),
      answer: decidedMany,
      handle: async ({ body, call }, response) => {
        const { outcome } = await moderation.approveRecords({ records: toReview(body), bulk: true }, call);
        response.json(decidedAll(outcome, body.recordIds, 'approved'));
      },
    }),
    route({
      method: 'post',
      path: '/moderation/reject',
      caller: 'required',
      role: 'MODERATOR',
      targets: ['esd.submission.v1.ModerationService'],
      describe: {
        ...ofMany,
        summary: 'Reject many records for one reason',
        details: `${ofMany.details} With \`origin\`, all records that currently await review are rejected. If no record awaits review, the response is 404.`,
        returns: 'The rejected records, in the order of `recordIds`, or with `origin` by id.',
        errors: [...ofMany.errors, 'RECORD_NOT_FOUND'],
        example: { body: { recordIds: [5, 6], reason: 'Both records are already in the dataset.' } },
      },
      body: jsonBody(rejectManyBody),
      answer: decidedMany,
      handle: async ({ body, call }, response) => {
        const { recordIds = [], revisions, reason, origin } = body;
        const records = toReview({ recordIds, revisions });
        const { outcome } = await moderation.rejectRecords({ records, reason, origin, bulk: true }, call);
        response.json(decidedAll(outcome, recordIds, 'rejected'));
      },
    }),
  ];
}

interface Many {
  recordIds: number[];
  revisions?: number[] | undefined;
}

function checkMany({ recordIds, revisions }: Many, context: z.core.$RefinementCtx): void {
  const seen = new Set<number>();
  for (const [index, id] of recordIds.entries()) {
    if (seen.has(id))
      context.addIssue({ code: 'custom', path: ['recordIds', index], message: `must not repeat the record ${id}` });
    seen.add(id);
  }
  if (revisions && revisions.length !== recordIds.length) {
    const message = `must have one revision for each of the ${recordIds.length} records, and has ${revisions.length}`;
    context.addIssue({ code: 'custom', path: ['revisions'], message });
  }
}

interface Selection {
  recordIds?: number[] | undefined;
  revisions?: number[] | undefined;
  origin?: string | undefined;
}

function checkSelection({ recordIds, revisions, origin }: Selection, context: z.core.$RefinementCtx): void {
  if (recordIds && origin === undefined) {
    checkMany({ recordIds, revisions }, context);
    return;
  }
  const add = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
  if (!recordIds && origin === undefined) add('recordIds', 'is missing; send `recordIds` or `origin`');
  if (recordIds) add('origin', 'must not be combined with `recordIds`; send only one of them');
  if (origin !== undefined && revisions) add('revisions', 'requires `recordIds`; leave it out with `origin`');
}

function toReview({ recordIds, revisions }: Many) {
  return recordIds.map((recordId, index) => ({ recordId, revision: revisions?.[index], entityTags: [] }));
}

function reviewedOne(outcome: Outcome): ReviewedRecord {
  if (outcome?.$case === 'conflict') {
    const [conflicting] = outcome.value.records;
    if (!conflicting || !isErrorCode(conflicting.code)) throw new Error('the conflict has no known code');
    throw new ServiceError(conflicting.code, conflicting.message);
  }
  const [record] = outcome?.value.records ?? [];
  if (!record) throw new Error('the response has no outcome');
  return record;
}

function decidedAll(outcome: Outcome, recordIds: readonly number[], done: string): z.output<typeof decidedMany> {
  const { records, decision } = reviewedAll(outcome, recordIds, done);
  if (!decision?.undoUntil) throw new Error('the response has no decision');
  return {
    success: true,
    message: `${countText(records)} ${done}.`,
    records: records.map(reviewed),
    decision: { id: decision.id, undoUntil: decision.undoUntil.toISOString() },
  };
}

export function reviewedAll(outcome: Outcome, recordIds: readonly number[], done: string): Reviewed {
  if (outcome?.$case === 'conflict') throw conflictError(outcome.value, recordIds, done);
  if (!outcome) throw new Error('the response has no outcome');
  return outcome.value;
}

export function countText({ length }: readonly unknown[]): string {
  return length === 1 ? '1 record' : `${length} records`;
}

export function reviewed({ recordId, status, revision }: ReviewedRecord): z.output<typeof reviewedRecord> {
  const name = statusFromWire(status);
  if (!name) throw new Error(`record ${recordId} has no status`);
  return { recordId, status: name, revision };
}

function conflictError({ records }: ReviewConflict, recordIds: readonly number[], done: string): ServiceError {
  const errors = records.map(({ recordId, code, message, status, revision: newest }): ErrorItem => {
    const name = statusFromWire(status);
    return {
      path: recordIds.length === 0 ? 'id' : `recordIds[${recordIds.indexOf(recordId)}]`,
      code,
      message,
      recordId,
      ...(name ? { status: name } : {}),
      ...(newest === undefined ? {} : { revision: newest }),
    };
  });
  const all = recordIds.length === 0 ? '' : ` of ${recordIds.length}`;
  const message = `No record was ${done}: ${errors.length}${all} cannot be ${done}; see \`errors\`.`;
  return ServiceError.withDetails('CONFLICT', message, { errors, errorCount: errors.length });
}
