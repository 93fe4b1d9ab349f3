import { experimentData } from '@esd/api/catalog-schema';
import { getReview } from '@esd/api/moderation';
import type { ResponseOf } from '@esd/api/operation';
import { withSeverity } from '@esd/api/record-warning';
import { statusFromWire } from '@esd/dataset-client/record-status';
import type { GetReviewResponse } from '@esd/proto/esd/submission/v1/submission';
import type { Route } from '../../http/route.ts';
import { serve } from '../../http/serve.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { waitingOf } from './queue.ts';
import { MODERATION } from './target.ts';

export function moderationRecordRoutes({ moderation }: Pick<Upstream, 'moderation'>): Route[] {
  return [
    serve(getReview, {
      targets: MODERATION,
      handle: async ({ parameters, call }, response) => {
        const answer = await moderation.getReview({ recordId: parameters.id }, call);
        response.set({ ETag: `"${answer.entityTag}"`, 'Cache-Control': 'no-store' }).json(reviewOf(answer));
      },
    }),
  ];
}

function reviewOf(answer: GetReviewResponse): ResponseOf<typeof getReview> {
  const { imageOnly, submitterJson, recordJson, missingFields, warnings, history, historyCount, changes } = answer;
  const { publishedJson, duplicates } = answer;
  return {
    ...waitingOf(answer),
    imageOnly,
    // Validated by submission-svc.
    submitter: submitterJson.length > 0 ? getReview.response.shape.submitter.parse(fromJson(submitterJson)) : undefined,
    record: experimentData.parse(fromJson(recordJson)),
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
    ...(publishedJson.length > 0 ? { publishedRecord: experimentData.parse(fromJson(publishedJson)) } : {}),
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
