import { approveRecord, approveRecords, rejectRecord, rejectRecords } from '@esd/api/moderation';
import type { BodyOf, ResponseOf } from '@esd/api/operation';
import { statusFromWire } from '@esd/dataset-client/record-status';
import type { Refusal } from '@esd/proto/esd/common/v1/error';
import type { Reviewed, ReviewedRecord } from '@esd/proto/esd/submission/v1/submission';
import { refusalError } from '@esd/service/rpc/rpc-errors';
import { entityTagsOf } from '../../http/if-match.ts';
import type { Route } from '../../http/route.ts';
import { serve } from '../../http/serve.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { MODERATION } from './target.ts';

/** The outcome of a decision. Each RPC has its own message type of this shape. */
type Outcome = { $case: 'reviewed'; value: Reviewed } | { $case: 'refusal'; value: Refusal } | undefined;

export function approveRejectRoutes({ moderation }: Pick<Upstream, 'moderation'>): Route[] {
  return [
    serve(approveRecord, {
      targets: MODERATION,
      handle: async ({ parameters: { id }, body, request, call }, response) => {
        const entityTags = entityTagsOf(request.get('if-match'));
        const records = [{ recordId: id, revision: body?.revision, entityTags }];
        const record = reviewedOne((await moderation.approveRecords({ records, bulk: false }, call)).outcome);
        response.set('ETag', `"${record.entityTag}"`).json(reviewed(record));
      },
    }),
    serve(rejectRecord, {
      targets: MODERATION,
      handle: async ({ parameters: { id }, body, request, call }, response) => {
        const entityTags = entityTagsOf(request.get('if-match'));
        const records = [{ recordId: id, revision: body.revision, entityTags }];
        const record = reviewedOne(
          (await moderation.rejectRecords({ records, reason: body.reason, bulk: false }, call)).outcome,
        );
        response.set('ETag', `"${record.entityTag}"`).json(reviewed(record));
      },
    }),
    serve(approveRecords, {
      targets: MODERATION,
      handle: async ({ body, call }, response) => {
        const { outcome } = await moderation.approveRecords({ records: toReview(body), bulk: true }, call);
        response.json(decidedAll(outcome, 'approved'));
      },
    }),
    serve(rejectRecords, {
      targets: MODERATION,
      handle: async ({ body, call }, response) => {
        const { recordIds = [], revisions, reason, origin } = body;
        const records = toReview({ recordIds, revisions });
        const { outcome } = await moderation.rejectRecords({ records, reason, origin, bulk: true }, call);
        response.json(decidedAll(outcome, 'rejected'));
      },
    }),
  ];
}

function toReview({ recordIds, revisions }: Pick<BodyOf<typeof approveRecords>, 'recordIds' | 'revisions'>) {
  return recordIds.map((recordId, index) => ({ recordId, revision: revisions?.[index], entityTags: [] }));
}

function reviewedOne(outcome: Outcome): ReviewedRecord {
  const [record] = reviewedAll(outcome).records;
  if (!record) throw new Error('the response has no record');
  return record;
}

function decidedAll(outcome: Outcome, done: string): ResponseOf<typeof approveRecords> {
  const { records, decision } = reviewedAll(outcome);
  if (!decision?.undoUntil) throw new Error('the response has no decision');
  return {
    success: true,
    message: `${countText(records)} ${done}.`,
    records: records.map(reviewed),
    decision: { id: decision.id, undoUntil: decision.undoUntil.toISOString() },
  };
}

export function reviewedAll(outcome: Outcome): Reviewed {
  if (outcome?.$case === 'refusal') throw refusalError(outcome.value);
  if (!outcome) throw new Error('the response has no outcome');
  return outcome.value;
}

export function countText({ length }: readonly unknown[]): string {
  return length === 1 ? '1 record' : `${length} records`;
}

export function reviewed({ recordId, status, revision }: ReviewedRecord): ResponseOf<typeof approveRecord> {
  const name = statusFromWire(status);
  if (!name) throw new Error(`record ${recordId} has no status`);
  return { recordId, status: name, revision };
}
