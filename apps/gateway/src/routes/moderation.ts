import { z } from 'zod';
import type { ReviewConflict, ReviewedRecord } from '@esd/proto/esd/submission/v1/submission';
import type { ErrorItem } from '@esd/service/error-body';
import { parseEntityTags } from '@esd/service/entity-tag';
import { isErrorCode, ServiceError } from '@esd/service/errors';
import { DetailedError } from '../errors.ts';
import { jsonBody, optionalJsonBody } from '../json-body.ts';
import { fromWireStatus, recordStatus } from '../record-status.ts';
import { recordIdText, route, type Route } from '../route.ts';
import type { Upstream } from '../upstream.ts';

const LARGEST_REVISION = 2 ** 31 - 1;
const MOST_RECORDS = 1_000;

const revision = z.int().min(1).max(LARGEST_REVISION);

const approveOneBody = z.strictObject({ revision: revision.optional() });
const approveManyBody = z
  .strictObject({
    recordIds: z.array(z.int().min(1)).min(1).max(MOST_RECORDS),
    revisions: z
      .array(revision)
      .optional()
      .meta({ description: 'The revision of each record that was looked at, in the order of recordIds.' }),
  })
  .superRefine(({ recordIds, revisions }, context) => {
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
  });

const reviewedRecord = z.strictObject({
  recordId: z.int(),
  status: recordStatus,
  revision: z.int(),
});
const approveManyAnswer = z.strictObject({
  success: z.literal(true),
  message: z.string(),
  records: z.array(reviewedRecord),
});

/** Review of records. */
export function moderationRoutes({ moderation }: Pick<Upstream, 'moderation'>): Route[] {
  return [
    route({
      method: 'post',
      path: '/moderation/records/:id/approve',
      caller: 'required',
      describe: {
        tag: 'Moderation',
        summary: 'Approve a record',
        details: 'Without a revision the newest PENDING one is meant; a record that has changed since is refused.',
        returns: 'The record, approved.',
        headers: { 'If-Match': 'The revision that was looked at, in quotes, such as `"2"`.' },
        answerHeaders: { ETag: 'The revision of the record.' },
        errors: ['FORBIDDEN', 'RECORD_NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
        example: { parameters: { id: 1 }, body: { revision: 1 } },
      },
      parameters: z.object({ id: recordIdText }),
      body: optionalJsonBody(approveOneBody),
      answer: reviewedRecord,
      handle: async ({ parameters: { id }, body, request, call }, response) => {
        const lookedAt = revisionLookedAt(request.headers['if-match'], body?.revision);
        const { outcome } = await moderation.approveRecords({ records: [{ recordId: id, revision: lookedAt }] }, call);
        if (outcome?.$case === 'conflict') {
          const [offender] = outcome.value.offenders;
          if (!offender || !isErrorCode(offender.code)) throw new Error('a conflict without a known reason');
          throw new ServiceError(offender.code, offender.message);
        }
        const [record] = outcome?.value.records ?? [];
        if (!record) throw new Error('a review without an outcome');
        response.set('ETag', `"${record.revision}"`).json(reviewed(record));
      },
    }),
    route({
      method: 'post',
      path: '/moderation/approve',
      caller: 'required',
      describe: {
        tag: 'Moderation',
        summary: 'Approve many records',
        details: 'All of them or none.',
        returns: 'The records, approved, in the order of recordIds.',
        errors: ['FORBIDDEN', 'CONFLICT'],
        example: { body: { recordIds: [2, 3], revisions: [1, 1] } },
      },
      body: jsonBody(approveManyBody),
      answer: approveManyAnswer,
      handle: async ({ body: { recordIds, revisions }, call }, response) => {
        const records = recordIds.map((recordId, index) => ({ recordId, revision: revisions?.[index] }));
        const { outcome } = await moderation.approveRecords({ records }, call);
        if (outcome?.$case === 'conflict') throw conflictError(outcome.value, recordIds);
        if (outcome?.$case !== 'reviewed') throw new Error('a review without an outcome');
        const message = recordIds.length === 1 ? '1 record approved.' : `${recordIds.length} records approved.`;
        response.json({ success: true, message, records: outcome.value.records.map(reviewed) });
      },
    }),
  ];
}

function revisionLookedAt(ifMatch: string | undefined, inBody: number | undefined): number | undefined {
  const tags = parseEntityTags(ifMatch);
  if (ifMatch === undefined || tags === '*') return inBody;
  const [tag] = tags ?? [];
  if (tag === undefined || tags?.length !== 1 || !revision.safeParse(/^\d+$/.test(tag) ? Number(tag) : NaN).success) {
    throw new ServiceError(
      'INVALID_PARAMETER',
      'If-Match must hold the revision of the record in quotes, such as "2".',
    );
  }
  if (inBody !== undefined && inBody !== Number(tag)) {
    throw new ServiceError('INVALID_REQUEST', `If-Match means revision ${tag}, the body revision ${inBody}.`);
  }
  return Number(tag);
}

function reviewed({ recordId, status, revision }: ReviewedRecord): z.output<typeof reviewedRecord> {
  const name = fromWireStatus(status);
  if (!name) throw new Error(`record ${recordId} without a status`);
  return { recordId, status: name, revision };
}

function conflictError({ offenders }: ReviewConflict, recordIds: readonly number[]): DetailedError {
  const errors = offenders.map(({ recordId, code, message, status }): ErrorItem => {
    const name = fromWireStatus(status);
    const item = { path: `recordIds[${recordIds.indexOf(recordId)}]`, code, message, recordId };
    return name ? { ...item, status: name } : item;
  });
  const message = `Nothing was approved: ${errors.length} of ${recordIds.length} records cannot be.`;
  return new DetailedError('CONFLICT', message, { errors, errorCount: errors.length });
}
