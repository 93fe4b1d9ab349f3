import { decisionAction, listDecisions, undoDecision } from '@esd/api/moderation';
import type { ResponseOf } from '@esd/api/operation';
import { statusFromWire } from '@esd/dataset-client/record-status';
import type { OwnDecision } from '@esd/proto/esd/submission/v1/submission';
import { pageLinks } from '../../http/page-links.ts';
import type { Route } from '../../http/route.ts';
import { serve } from '../../http/serve.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { countText, reviewed, reviewedAll } from './approve-reject.ts';
import { MODERATION } from './target.ts';

export function decisionRoutes({ moderation }: Pick<Upstream, 'moderation'>): Route[] {
  return [
    serve(listDecisions, {
      targets: MODERATION,
      handle: async ({ query: { skip, limit }, call, request }, response) => {
        const { decisions, total } = await moderation.listOwnDecisions({ skip, limit }, call);
        response
          .set({ 'Cache-Control': 'no-store', Link: pageLinks(request, { skip, limit, total }) })
          .json({ data: decisions.map(decisionOf), total, skip, limit });
      },
    }),
    serve(undoDecision, {
      targets: MODERATION,
      handle: async ({ parameters: { id }, call }, response) => {
        const { outcome } = await moderation.undoDecision({ decisionId: id }, call);
        const { records } = reviewedAll(outcome);
        const message = `${countText(records)} returned to the review queue.`;
        response.json({ success: true, message, records: records.map(reviewed) });
      },
    }),
  ];
}

function decisionOf({
  id,
  at,
  action,
  reason,
  records,
  ...times
}: OwnDecision): ResponseOf<typeof listDecisions>['data'][number] {
  if (!at) throw new Error(`decision ${id} has no time`);
  const { undoUntil, undoneAt } = times;
  return {
    id,
    at: at.toISOString(),
    action: decisionAction.parse(action),
    reason,
    records: records.map(({ recordId, revision, newestRevision, published, withdrawn, ...state }) => {
      const status = statusFromWire(state.status);
      const record = status && { status, revision: newestRevision, published, withdrawn };
      return { recordId, revision, ...(record ? { record } : {}) };
    }),
    undoUntil: undoUntil?.toISOString() ?? null,
    ...(undoneAt ? { undoneAt: undoneAt.toISOString() } : {}),
  };
}
