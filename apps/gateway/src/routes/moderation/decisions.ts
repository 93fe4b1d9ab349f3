import { z } from 'zod';
import type { OwnDecision } from '@esd/proto/esd/submission/v1/submission';
import { statusFromWire } from '@esd/dataset-client/record-status';
import { linkHeader } from '../../http/link-header.ts';
import { pagedAnswer, pagedHeaders, pagedQuery } from '../../http/paged-list.ts';
import { integerText } from '../../http/query.ts';
import { selfUrl } from '../../http/public-url.ts';
import { route, type Route } from '../../http/route.ts';
import { recordStatus } from '../../schemas/record-status.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { countText, reviewed, reviewedAll, reviewedMany } from './approve-reject.ts';
import { REVIEWER } from './queue.ts';

const decision = z
  .strictObject({
    id: z.int(),
    at: z.iso.datetime(),
    action: z.enum(['approve', 'reject', 'withdraw', 'restore', 'reopen']),
    reason: z.string().optional(),
    records: z.array(
      z.strictObject({
        recordId: z.int(),
        revision: z.int().meta({ description: 'The revision to which the decision applied.' }),
        record: z
          .strictObject({
            status: recordStatus,
            revision: z.int().meta({ description: 'The newest revision.' }),
            published: z.boolean(),
            withdrawn: z.boolean(),
          })
          .optional()
          .meta({ description: 'The current state of the record; absent if it was erased with its account.' }),
      }),
    ),
    undoUntil: z.iso.datetime().nullable().meta({
      description: 'The time until which the decision can be undone; null if it cannot.',
    }),
    undoneAt: z.iso.datetime().optional(),
  })
  .meta({ id: 'Decision' });
const decisionId = integerText(1, Number.MAX_SAFE_INTEGER);

export function moderationOwnDecisionRoutes({ moderation }: Pick<Upstream, 'moderation'>): Route[] {
  return [
    route({
      method: 'get',
      path: '/moderation/decisions',
      caller: 'required',
      role: 'MODERATOR',
      targets: ['esd.submission.v1.ModerationService'],
      describe: {
        tag: 'Moderation',
        summary: 'List the decisions of the caller',
        details: `${REVIEWER} The newest decisions come first, each with the current states of its records. A bulk approval or rejection is one decision. A page has at most 50,000 records.`,
        returns: 'A page of decisions.',
        answerHeaders: pagedHeaders,
        errors: ['FORBIDDEN'],
        example: { parameters: { limit: 10 } },
      },
      query: pagedQuery,
      answer: pagedAnswer(decision),
      handle: async ({ query: { skip, limit }, call, request }, response) => {
        const { decisions, total } = await moderation.listOwnDecisions({ skip, limit }, call);
        response
          .set({ 'Cache-Control': 'no-store', Link: linkHeader(selfUrl(request), { skip, limit, total }) })
          .json({ data: decisions.map(decisionOf), total, skip, limit });
      },
    }),
    route({
      method: 'post',
      path: '/moderation/decisions/:id/undo',
      caller: 'required',
      role: 'MODERATOR',
      targets: ['esd.submission.v1.ModerationService'],
      describe: {
        tag: 'Moderation',
        summary: 'Undo a bulk approval or rejection',
        details: `${REVIEWER} Only the moderator who decided or an ADMIN can undo a decision, for 24 hours, until a release with one of its records is frozen. The records return to the review queue, all or none. An approval that is public already is withdrawn with the reason "approved by mistake". Otherwise, the response is 409, and \`errors\` lists the records that changed since the decision.`,
        returns: 'The reopened records, by ascending id.',
        errors: ['FORBIDDEN', 'DECISION_NOT_FOUND', 'CONFLICT'],
        example: { parameters: { id: 4711 } },
      },
      parameters: z.object({ id: decisionId }),
      answer: reviewedMany,
      handle: async ({ parameters: { id }, call }, response) => {
        const { outcome } = await moderation.undoDecision({ decisionId: id }, call);
        const { records } = reviewedAll(outcome, [], 'reopened');
        const message = `${countText(records)} returned to the review queue.`;
        response.json({ success: true, message, records: records.map(reviewed) });
      },
    }),
  ];
}

function decisionOf({ id, at, action, reason, records, ...times }: OwnDecision): z.output<typeof decision> {
  if (!at) throw new Error(`decision ${id} has no time`);
  const { undoUntil, undoneAt } = times;
  return {
    id,
    at: at.toISOString(),
    action: decision.shape.action.parse(action),
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
