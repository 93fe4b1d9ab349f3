import { z } from 'zod';
import type { OwnDecision } from '@esd/proto/esd/submission/v1/submission';
import { statusFromWire } from '@esd/dataset-client/record-status';
import { linkHeader } from '../../http/link-header.ts';
import { pagedAnswer, pagedHeaders, pagedQuery } from '../../http/paged-list.ts';
import { selfUrl } from '../../http/public-url.ts';
import { route, type Route } from '../../http/route.ts';
import { recordStatus } from '../../schemas/record-status.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { REVIEWER } from './queue.ts';

const decision = z
  .strictObject({
    id: z.int(),
    at: z.iso.datetime(),
    action: z.enum(['approve', 'reject', 'withdraw', 'restore', 'reopen']),
    recordId: z.int(),
    revision: z.int().meta({ description: 'The revision to which the decision applied.' }),
    reason: z.string().optional(),
    record: z
      .strictObject({
        status: recordStatus,
        revision: z.int().meta({ description: 'The newest revision.' }),
        published: z.boolean(),
        withdrawn: z.boolean(),
      })
      .optional()
      .meta({ description: 'The current state of the record; absent if it was erased with its account.' }),
  })
  .meta({ id: 'Decision' });

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
        details: `${REVIEWER} The newest decisions come first, each with the current state of its record.`,
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
  ];
}

function decisionOf({ id, at, recordId, revision, reason, ...rest }: OwnDecision): z.output<typeof decision> {
  if (!at) throw new Error(`decision ${id} has no time`);
  const status = statusFromWire(rest.status);
  const { newestRevision, published, withdrawn } = rest;
  return {
    id,
    at: at.toISOString(),
    action: decision.shape.action.parse(rest.action),
    recordId,
    revision,
    reason,
    ...(status === undefined ? {} : { record: { status, revision: newestRevision, published, withdrawn } }),
  };
}
