import { listQueue } from '@esd/api/moderation';
import type { ResponseOf } from '@esd/api/operation';
import { kindToWire } from '@esd/dataset-client/queue-kinds';
import { statusFromWire, statusToWire } from '@esd/dataset-client/record-status';
import type { GetReviewResponse, QueueCounts, QueueEntry } from '@esd/proto/esd/submission/v1/submission';
import { withdrawnFromWire } from '../../dataset/published-record.ts';
import { pageLinks } from '../../http/page-links.ts';
import type { Route } from '../../http/route.ts';
import { serve } from '../../http/serve.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { MODERATION } from './target.ts';

export function moderationQueueRoutes({ moderation }: Pick<Upstream, 'moderation'>): Route[] {
  return [
    serve(listQueue, {
      targets: MODERATION,
      handle: async ({ query, call, request }, response) => {
        const { skip, limit, ...filters } = query;
        const wanted = { ...query, status: statusToWire(filters.status), kind: kindToWire(filters.kind) };
        const { entries, total, counts } = await moderation.listQueue(wanted, call);
        response
          .set({ 'Cache-Control': 'no-store', Link: pageLinks(request, { skip, limit, total }) })
          .json({ data: entries.map(queueEntryOf), total, skip, limit, counts: countsOf(counts) });
      },
    }),
  ];
}

export function countsOf(counts: QueueCounts | undefined): QueueCounts {
  if (!counts) throw new Error('the response has no counts');
  return counts;
}

export function waitingOf(record: QueueEntry | GetReviewResponse) {
  const { recordId, revision, submissionId, submittedAt, waitingSince, ownerAccountId, publishedRevision, origin } =
    record;
  const status = statusFromWire(record.status);
  if (!status || !submittedAt || !waitingSince) throw new Error(`record ${recordId} has no status or times`);
  return {
    recordId,
    revision,
    status,
    submissionId,
    submittedAt: submittedAt.toISOString(),
    waitingSince: waitingSince.toISOString(),
    waitedSeconds: Math.max(0, Math.floor((Date.now() - waitingSince.getTime()) / 1000)),
    ownerAccountId,
    publishedRevision,
    origin,
    erasedAt: record.erasedAt?.toISOString(),
    withdrawn: withdrawnFromWire(record.withdrawn),
    unread: record.unread,
    answered: record.answered,
  };
}

function queueEntryOf(entry: QueueEntry): ResponseOf<typeof listQueue>['data'][number] {
  const { submitterName, polymers, publicationTitle, doi, warningCount, summary } = entry;
  const found = { submitterName, polymers, publicationTitle, doi, warningCount, summary };
  return { ...waitingOf(entry), ...found };
}
