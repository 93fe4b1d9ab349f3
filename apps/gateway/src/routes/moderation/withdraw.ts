import { reopenRecord, restoreRecord, withdrawRecord } from '@esd/api/moderation';
import type { RecordToReview, ReviewedRecord } from '@esd/proto/esd/submission/v1/submission';
import type { Request } from 'express';
import { withdrawnFromWire } from '../../dataset/published-record.ts';
import { entityTagsOf } from '../../http/if-match.ts';
import type { Route } from '../../http/route.ts';
import { serve } from '../../http/serve.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { reviewed } from './approve-reject.ts';
import { MODERATION } from './target.ts';

export function moderationWithdrawRoutes({ moderation }: Pick<Upstream, 'moderation'>): Route[] {
  return [
    serve(withdrawRecord, {
      targets: MODERATION,
      handle: async ({ parameters: { id }, body, request, call }, response) => {
        const record = toChange(id, body.revision, request);
        const answer = await moderation.withdrawRecord({ record, reason: body.reason }, call);
        const since = withdrawnFromWire(answer.withdrawn);
        if (!since) throw new Error(`the withdrawal of record ${id} has no date`);
        const done = requireRecord(answer.record);
        response.set('ETag', `"${done.entityTag}"`).json({ ...reviewed(done), withdrawn: since });
      },
    }),
    serve(restoreRecord, {
      targets: MODERATION,
      handle: async ({ parameters: { id }, body, request, call }, response) => {
        const answer = await moderation.restoreRecord({ record: toChange(id, body?.revision, request) }, call);
        const done = requireRecord(answer.record);
        response.set('ETag', `"${done.entityTag}"`).json(reviewed(done));
      },
    }),
    serve(reopenRecord, {
      targets: MODERATION,
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
