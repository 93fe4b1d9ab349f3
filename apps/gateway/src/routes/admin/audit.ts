import type { z } from 'zod';
import type { AuditRecord } from '@esd/proto/esd/identity/v1/administration';
import type { auditEntry } from '@esd/api/administration';
import { listAudit } from '@esd/api/administration';
import { pageLinks } from '../../http/page-links.ts';
import type { Route } from '../../http/route.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { serve } from '../../http/serve.ts';

export function adminAuditRoutes({ administration }: Pick<Upstream, 'administration'>): Route[] {
  return [
    serve(listAudit, {
      targets: ['esd.identity.v1.AdministrationService'],
      handle: async ({ query, call, request }, response) => {
        const { actor, subject, action, from, to, skip, limit } = query;
        const { records, total } = await administration.listAudit(
          { actor, subject, action, from, to, skip, limit },
          call,
        );
        response
          .set({ 'Cache-Control': 'no-store', Link: pageLinks(request, { skip, limit, total }) })
          .json({ data: records.map(auditEntryOf), total, skip, limit });
      },
    }),
  ];
}

function auditEntryOf({ at, ...entry }: AuditRecord): z.output<typeof auditEntry> {
  if (!at) throw new Error(`audit entry ${entry.id} has no time`);
  return { ...entry, at: at.toISOString() };
}
