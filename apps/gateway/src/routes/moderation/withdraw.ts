import type { Request } from 'express';
import { z } from 'zod';
import type { RecordToReview, ReviewedRecord } from '@esd/proto/esd/submission/v1/submission';
import { withdrawnFromWire } from '../../dataset/published-record.ts';
import { jsonBody, optionalJsonBody } from '../../http/body/json-body.ts';
import { entityTagsOf } from '../../http/if-match.ts';
import { recordIdText, route, type Route } from '../../http/route.ts';
import { plainText } from '../../schemas/plain-text.ts';
import { withdrawn } from '../../schemas/withdrawn.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { ofOne, reviewed, reviewedRecord, revision } from './approve-reject.ts';

const MAX_REASON_LENGTH = 500;

const withdrawBody = z.strictObject({
  reason: plainText(1, MAX_REASON_LENGTH).meta({
    description: 'The reason for the withdrawal. It is public, and it is sent to the contributor.',
  }),
  revision: revision.optional(),
});
const changeBody = z.strictObject({ revision: revision.optional() });
const recordPath = z.object({ id: recordIdText });

const ROLE =
  'Requires the role MODERATOR or ADMIN; only an ADMIN can change their own records. With a revision or an entity tag, the call fails with 412 if the record has changed.';

export function moderationWithdrawRoutes({ moderation }: Pick<Upstream, 'moderation'>): Route[] {
  return [
    route({
      method: 'post',
      path: '/moderation/records/:id/withdraw',
      caller: 'required',
      role: 'MODERATOR',
      targets: ['esd.submission.v1.ModerationService'],
      describe: {
        ...ofOne,
        summary: 'Withdraw a public record',
        details: `${ROLE} The record is removed from the latest dataset, its counts, the sitemap and the list of contributors. Existing releases, personal snapshots and queries still contain it. An edit that awaits review is rejected as well. If the record is not public, the response is 409.`,
        returns: 'The record, at a new revision with the status REJECTED.',
        example: { parameters: { id: 3 }, body: { reason: 'The paper was retracted.' } },
      },
      parameters: recordPath,
      body: jsonBody(withdrawBody),
      answer: reviewedRecord.extend({ withdrawn }),
      handle: async ({ parameters: { id }, body, request, call }, response) => {
        const record = toChange(id, body.revision, request);
        const answer = await moderation.withdrawRecord({ record, reason: body.reason }, call);
        const since = withdrawnFromWire(answer.withdrawn);
        if (!since) throw new Error(`the withdrawal of record ${id} has no date`);
        const done = requireRecord(answer.record);
        response.set('ETag', `"${done.entityTag}"`).json({ ...reviewed(done), withdrawn: since });
      },
    }),
    route({
      method: 'post',
      path: '/moderation/records/:id/restore',
      caller: 'required',
      role: 'MODERATOR',
      targets: ['esd.submission.v1.ModerationService'],
      describe: {
        ...ofOne,
        summary: 'Restore a withdrawn record to the review queue',
        details: `${ROLE} The last public revision becomes the newest revision, and an approval publishes it again. If the record is not withdrawn, or its owner has updated it since, the response is 409.`,
        returns: 'The record, at a new revision with the status PENDING.',
        example: { parameters: { id: 3 }, body: { revision: 2 } },
      },
      parameters: recordPath,
      body: optionalJsonBody(changeBody),
      answer: reviewedRecord,
      handle: async ({ parameters: { id }, body, request, call }, response) => {
        const answer = await moderation.restoreRecord({ record: toChange(id, body?.revision, request) }, call);
        const done = requireRecord(answer.record);
        response.set('ETag', `"${done.entityTag}"`).json(reviewed(done));
      },
    }),
    route({
      method: 'post',
      path: '/moderation/records/:id/reopen',
      caller: 'required',
      role: 'MODERATOR',
      targets: ['esd.submission.v1.ModerationService'],
      describe: {
        ...ofOne,
        summary: 'Reopen a rejected record for review',
        details: `${ROLE} The record keeps its revision. For a withdrawn record, the response is 409; restore it instead.`,
        returns: 'The record, with the status PENDING.',
        example: { parameters: { id: 4 }, body: { revision: 1 } },
      },
      parameters: recordPath,
      body: optionalJsonBody(changeBody),
      answer: reviewedRecord,
      handle: async ({ parameters: { id }, body, request, call }, response) => {
        const answer = await moderation.reopenRecord({ record: toChange(id, body?.revision, request) }, call);
        const done = requireRecord(answer.record);
        response.set('ETag', `"${done.entityTag}"`).json(reviewed(done));
      },
    }),
  ];
}

function toChange(recordId: number, seen: number | undefined, request: Request): RecordToReview {
  return { recordId, revision: seen, entityTags: entityTagsOf(request.get('if-match')) };
}

function requireRecord(record: ReviewedRecord | undefined): ReviewedRecord {
  if (!record) throw new Error('the response has no record');
  return record;
}
