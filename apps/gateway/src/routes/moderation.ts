import { z } from 'zod';
import type { Reviewed, ReviewConflict, ReviewedRecord } from '@esd/proto/esd/submission/v1/submission';
import type { ErrorItem } from '@esd/service/error-body';
import { isErrorCode, ServiceError } from '@esd/service/errors';
import { DetailedError } from '../errors.ts';
import { entityTagsOf } from '../if-match.ts';
import { jsonBody, optionalJsonBody } from '../json-body.ts';
import type { Description } from '../openapi-description.ts';
import { originText } from '../origin-text.ts';
import { plainText } from '../plain-text.ts';
import { fromWireStatus, recordStatus } from '../record-status.ts';
import { recordIdText, route, type Route } from '../route.ts';
import type { Upstream } from '../upstream.ts';

const LARGEST_REVISION = 2 ** 31 - 1;
const MOST_RECORDS = 1_000;

const revision = z
  .int()
  .min(1)
  .max(LARGEST_REVISION)
  .meta({ description: 'The revision that was looked at; without it the newest is meant.' });
const reason = plainText(1, 2_000).meta({ description: 'Why; the contributor reads it.' });

const many = {
  recordIds: z.array(z.int().min(1)).min(1).max(MOST_RECORDS),
  revisions: z
    .array(revision)
    .optional()
    .meta({ description: 'The revision of each record that was looked at, in the order of recordIds.' }),
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
        'Instead of recordIds: all that came from this origin of the moderation queue without an account and awaits review, up to 1,000 records.',
    }),
    reason,
  })
  .superRefine(checkWhich);

const reviewedRecord = z.strictObject({
  recordId: z.int(),
  status: recordStatus,
  revision: z.int(),
});
const reviewedMany = z.strictObject({
  success: z.literal(true),
  message: z.string(),
  records: z.array(reviewedRecord),
});

/** What one decision answers: proto knows a type for each of them, of the same shape. */
type Outcome = { $case: 'reviewed'; value: Reviewed } | { $case: 'conflict'; value: ReviewConflict } | undefined;

const ofOne = {
  tag: 'Moderation',
  details:
    'Needs the role MODERATOR or ADMIN; only an ADMIN reviews own records. Without a revision the newest PENDING one is meant; a record that has changed since it was looked at is refused.',
  headers: { 'If-Match': 'The entity tag of /moderation/records/{id}, as it was looked at.' },
  answerHeaders: { ETag: 'The record’s entity tag.' },
  errors: ['FORBIDDEN', 'RECORD_NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
} as const satisfies Partial<Description>;
const ofMany = {
  tag: 'Moderation',
  details: 'All of them or none; a conflict names all that cannot be.',
  errors: ['FORBIDDEN', 'CONFLICT'],
} as const satisfies Partial<Description>;

/** Decisions on records. */
export function moderationRoutes({ moderation }: Pick<Upstream, 'moderation'>): Route[] {
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
        returns: 'The record, approved.',
        example: { parameters: { id: 1 }, body: { revision: 1 } },
      },
      parameters: z.object({ id: recordIdText }),
      body: optionalJsonBody(approveOneBody),
      answer: reviewedRecord,
      handle: async ({ parameters: { id }, body, request, call }, response) => {
        const entityTags = entityTagsOf(request.get('if-match'));
        const records = [{ recordId: id, revision: body?.revision, entityTags }];
        const record = reviewedOne((await moderation.approveRecords({ records }, call)).outcome);
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
        summary: 'Decline a record',
        returns: 'The record, declined; what is public of it stays so.',
        example: { parameters: { id: 4 }, body: { reason: 'The voltage is not the one of the paper.', revision: 1 } },
      },
      parameters: z.object({ id: recordIdText }),
      body: jsonBody(rejectOneBody),
      answer: reviewedRecord,
      handle: async ({ parameters: { id }, body, request, call }, response) => {
        const entityTags = entityTagsOf(request.get('if-match'));
        const records = [{ recordId: id, revision: body.revision, entityTags }];
        const record = reviewedOne((await moderation.rejectRecords({ records, reason: body.reason }, call)).outcome);
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
        returns: 'The records, approved, in the order of recordIds.',
        example: { body: { recordIds: [2, 3], revisions: [1, 1] } },
      },
      body: jsonBody(approveManyBody),
      answer: reviewedMany,
      handle: async ({ body, call }, response) => {
        const { outcome } = await moderation.approveRecords({ records: toReview(body) }, call);
        response.json(reviewedAll(outcome, body.recordIds, 'approved'));
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
        summary: 'Decline many records for one reason',
        details: `${ofMany.details} With origin those are declined that await review now, and where there are none the answer is 404.`,
        returns: 'The records, declined: in the order of recordIds, with origin by id.',
        errors: [...ofMany.errors, 'RECORD_NOT_FOUND'],
        example: { body: { recordIds: [5, 6], reason: 'Both are in the dataset already.' } },
      },
      body: jsonBody(rejectManyBody),
      answer: reviewedMany,
      handle: async ({ body, call }, response) => {
        const { recordIds = [], revisions, reason, origin } = body;
        const records = toReview({ recordIds, revisions });
        const { outcome } = await moderation.rejectRecords({ records, reason, origin }, call);
        response.json(reviewedAll(outcome, recordIds, 'declined'));
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
      context.addIssue({ code: 'custom', path: ['recordIds', index], message: `${id} stands here twice` });
    seen.add(id);
  }
  if (revisions && revisions.length !== recordIds.length) {
    const message = `holds ${revisions.length} revisions for ${recordIds.length} records`;
    context.addIssue({ code: 'custom', path: ['revisions'], message });
  }
}

interface Which {
  recordIds?: number[] | undefined;
  revisions?: number[] | undefined;
  origin?: string | undefined;
}

function checkWhich({ recordIds, revisions, origin }: Which, context: z.core.$RefinementCtx): void {
  if (recordIds && origin === undefined) {
    checkMany({ recordIds, revisions }, context);
    return;
  }
  const add = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
  if (!recordIds && origin === undefined) add('recordIds', 'is missing; recordIds or origin is needed');
  if (recordIds) add('origin', 'stands beside recordIds; one of them is right');
  if (origin !== undefined && revisions) add('revisions', 'goes with recordIds alone');
}

function toReview({ recordIds, revisions }: Many) {
  return recordIds.map((recordId, index) => ({ recordId, revision: revisions?.[index], entityTags: [] }));
}

function reviewedOne(outcome: Outcome): ReviewedRecord {
  if (outcome?.$case === 'conflict') {
    const [offender] = outcome.value.offenders;
    if (!offender || !isErrorCode(offender.code)) throw new Error('a conflict without a known reason');
    throw new ServiceError(offender.code, offender.message);
  }
  const [record] = outcome?.value.records ?? [];
  if (!record) throw new Error('a review without an outcome');
  return record;
}

function reviewedAll(outcome: Outcome, recordIds: readonly number[], done: string): z.output<typeof reviewedMany> {
  if (outcome?.$case === 'conflict') throw conflictError(outcome.value, recordIds, done);
  if (!outcome) throw new Error('a review without an outcome');
  const { records } = outcome.value;
  const count = records.length === 1 ? '1 record' : `${records.length} records`;
  return { success: true, message: `${count} ${done}.`, records: records.map(reviewed) };
}

function reviewed({ recordId, status, revision }: ReviewedRecord): z.output<typeof reviewedRecord> {
  const name = fromWireStatus(status);
  if (!name) throw new Error(`record ${recordId} without a status`);
  return { recordId, status: name, revision };
}

function conflictError({ offenders }: ReviewConflict, recordIds: readonly number[], done: string): DetailedError {
  const errors = offenders.map(({ recordId, code, message, status }): ErrorItem => {
    const name = fromWireStatus(status);
    const item = { path: `recordIds[${recordIds.indexOf(recordId)}]`, code, message, recordId };
    return name ? { ...item, status: name } : item;
  });
  const message = `Nothing was ${done}: ${errors.length} of ${recordIds.length} records cannot be.`;
  return new DetailedError('CONFLICT', message, { errors, errorCount: errors.length });
}
