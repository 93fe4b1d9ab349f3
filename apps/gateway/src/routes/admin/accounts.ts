import type { z } from 'zod';
import { type Account, Role } from '@esd/proto/esd/identity/v1/identity';
import { roleToWire } from '@esd/proto/account-role';
import type { account } from '@esd/api/accounts';
import { listAccounts, setAccountEnabled, setAccountRole } from '@esd/api/accounts';
import { fromWireRole } from '../../schemas/account-role.ts';
import { pageLinks } from '../../http/page-links.ts';
import type { Route } from '../../http/route.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { serve } from '../../http/serve.ts';

export function adminAccountRoutes({ administration }: Pick<Upstream, 'administration'>): Route[] {
  return [
    serve(listAccounts, {
      targets: ['esd.identity.v1.AdministrationService'],
      handle: async ({ query, call, request }, response) => {
        const { search, role, enabled, skip, limit } = query;
        const { accounts, total } = await administration.listAccounts(
          {
            search,
            role: role === undefined ? Role.ROLE_UNSPECIFIED : roleToWire(role),
            enabled: enabled === undefined ? undefined : enabled === 'true',
            skip,
            limit,
          },
          call,
        );
        response
          .set({ 'Cache-Control': 'no-store', Link: pageLinks(request, { skip, limit, total }) })
          .json({ data: accounts.map(accountOf), total, skip, limit });
      },
    }),
    serve(setAccountRole, {
      targets: ['esd.identity.v1.AdministrationService'],
      handle: async ({ parameters, body, call }, response) => {
        const request = { accountId: parameters.id, role: roleToWire(body.role) };
        const changed = await administration.setAccountRole(request, call);
        response.set('Cache-Control', 'no-store').json(accountOf(changed.account));
      },
    }),
    serve(setAccountEnabled, {
      targets: ['esd.identity.v1.AdministrationService'],
      handle: async ({ parameters, body, call }, response) => {
        const request = { accountId: parameters.id, enabled: body.enabled };
        const changed = await administration.setAccountEnabled(request, call);
        response.set('Cache-Control', 'no-store').json(accountOf(changed.account));
      },
    }),
  ];
}

function accountOf(row: Account | undefined): z.output<typeof account> {
  if (!row?.createdAt) throw new Error('the response has no account');
  const { id, email, name, role, enabled, emailVerified, createdAt, orcid } = row;
  return {
    id,
    email,
    name,
    role: fromWireRole(role),
    enabled,
    emailVerified,
    createdAt: createdAt.toISOString(),
    orcid,
  };
}
