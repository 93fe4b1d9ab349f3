import { z } from 'zod';
import type { AuditRecord } from '@esd/proto/esd/identity/v1/administration';
import { linkHeader, linkParameters } from '../../http/link-header.ts';
import { pagedResponse, pagedHeaders, pagedQuery } from '@esd/api/paged-list';
import { selfUrl } from '../../http/public-url.ts';
import { route, type Route } from '../../http/route.ts';
import type { Upstream } from '../../upstream/upstream.ts';

const auditQuery = z.object({
  actor: z
    .uuid('must be an account id (a UUID)')
    .optional()
    .meta({ description: 'The id of the account that performed the action.' }),
  subject: z
    .uuid('must be an account id (a UUID)')
    .optional()
    .meta({ description: 'The id of the account that the action affected.' }),
  action: z
    .string()
    .regex(/^[a-z-]{1,60}$/, 'must be an action such as `token-created`')
    .optional(),
  from: instant().meta({ description: 'Includes only entries at or after this time.' }),
  to: instant().meta({ description: 'Includes only entries before this time.' }),
  ...pagedQuery.shape,
});

const auditEntry = z.strictObject({
  id: z.int(),
  at: z.iso.datetime(),
  action: z.string(),
  actor: z.uuid().optional().meta({ description: 'The account id; absent if the caller sent no credential.' }),
  subject: z.uuid().optional().meta({ description: 'The account id.' }),
  requestId: z.string(),
  clientIp: z.string().optional().meta({
    description: 'Erased after 90 days by default, or when one of the accounts is deleted.',
  }),
  details: z.record(z.string(), z.string()),
});

export function adminAuditRoutes({ administration }: Pick<Upstream, 'administration'>): Route[] {
  return [
    route({
      method: 'get',
      path: '/admin/audit',
      caller: 'required',
      role: 'ADMIN',
      targets: ['esd.identity.v1.AdministrationService'],
      describe: {
        tag: 'Administration',
        summary: 'List the audit trail of accounts',
        details: 'Requires the role ADMIN. The newest entries come first.',
        returns: 'A page of the audit trail.',
        answerHeaders: pagedHeaders,
        errors: ['FORBIDDEN'],
        example: { parameters: { action: 'login', limit: 10 } },
      },
      query: auditQuery,
      answer: pagedResponse(auditEntry),
      handle: async ({ query, call, request }, response) => {
        const { actor, subject, action, from, to, skip, limit } = query;
        const { records, total } = await administration.listAudit(
          { actor, subject, action, from, to, skip, limit },
          call,
        );
        const parameters = linkParameters({
          actor,
          subject,
          action,
          from: from?.toISOString(),
          to: to?.toISOString(),
        });
        response
          .set({ 'Cache-Control': 'no-store', Link: linkHeader(selfUrl(request), { skip, limit, total, parameters }) })
          .json({ data: records.map(auditEntryOf), total, skip, limit });
      },
    }),
  ];
}

function instant() {
  return z.iso
    .datetime({ offset: true })
    .transform((text) => new Date(text))
    .optional();
}

function auditEntryOf({ at, ...entry }: AuditRecord): z.output<typeof auditEntry> {
  if (!at) throw new Error(`audit entry ${entry.id} has no time`);
  return { ...entry, at: at.toISOString() };
}
