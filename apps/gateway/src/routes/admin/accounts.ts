import { z } from 'zod';
import { type Account, Role } from '@esd/proto/esd/identity/v1/identity';
import { isPlainLine } from '@esd/record/validate/plain-text';
import { roleToWire } from '@esd/proto/account-role';
import { accountRole, fromWireRole } from '../../schemas/account-role.ts';
import { jsonBody } from '../../http/body/json-body.ts';
import { linkHeader, linkParameters } from '../../http/link-header.ts';
import { pagedResponse, pagedHeaders, pagedQuery } from '@esd/api/paged-list';
import { selfUrl } from '../../http/public-url.ts';
import { route, type Route } from '../../http/route.ts';
import type { Upstream } from '../../upstream/upstream.ts';

const accountId = z.object({ id: z.uuid('must be an account id (a UUID)') });
const accountsQuery = z.object({
  search: z
    .string()
    .min(1)
    .max(320)
    .refine(isPlainLine, 'must not contain control characters')
    .optional()
    .meta({ description: 'A part of the email address or the name (case-insensitive).' }),
  role: z.enum(accountRole.options).optional(),
  enabled: z.enum(['true', 'false']).optional(),
  ...pagedQuery.shape,
});
const account = z
  .strictObject({
    id: z.uuid(),
    email: z.string(),
    name: z.string(),
    role: accountRole,
    enabled: z.boolean(),
    emailVerified: z.boolean(),
    createdAt: z.iso.datetime(),
    orcid: z.string().optional(),
  })
  .meta({ id: 'Account' });
const ADMIN_SESSION = 'Requires the role ADMIN. The last enabled administrator cannot be changed.';
const EXAMPLE_ID = { id: '5f0c1f0e-8f0a-4a44-9a39-0d2f6f1d6c11' };

export function adminAccountRoutes({ administration }: Pick<Upstream, 'administration'>): Route[] {
  return [
    route({
      method: 'get',
      path: '/admin/accounts',
      caller: 'required',
      role: 'ADMIN',
      targets: ['esd.identity.v1.AdministrationService'],
      describe: {
        tag: 'Administration',
        summary: 'List accounts',
        details: 'Requires the role ADMIN. The oldest accounts come first.',
        returns: 'A page of accounts.',
        answerHeaders: pagedHeaders,
        errors: ['FORBIDDEN'],
        example: { parameters: { role: 'ADMIN', limit: 10 } },
      },
      query: accountsQuery,
      answer: pagedResponse(account),
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
        const parameters = linkParameters({ search, role, enabled });
        response
          .set({ 'Cache-Control': 'no-store', Link: linkHeader(selfUrl(request), { skip, limit, total, parameters }) })
          .json({ data: accounts.map(accountOf), total, skip, limit });
      },
    }),
    route({
      method: 'put',
      path: '/admin/accounts/:id/role',
      caller: 'session',
      role: 'ADMIN',
      targets: ['esd.identity.v1.AdministrationService'],
      describe: {
        tag: 'Administration',
        summary: 'Change the role of an account',
        details: `${ADMIN_SESSION} The change takes effect with the next request of the account.`,
        returns: 'The account.',
        errors: ['FORBIDDEN', 'SESSION_REQUIRED', 'ACCOUNT_NOT_FOUND', 'CONFLICT'],
        example: { parameters: EXAMPLE_ID, body: { role: 'MODERATOR' } },
      },
      parameters: accountId,
      body: jsonBody(z.strictObject({ role: accountRole })),
      answer: account,
      handle: async ({ parameters, body, call }, response) => {
        const request = { accountId: parameters.id, role: roleToWire(body.role) };
        const changed = await administration.setAccountRole(request, call);
        response.set('Cache-Control', 'no-store').json(accountOf(changed.account));
      },
    }),
    route({
      method: 'put',
      path: '/admin/accounts/:id/enabled',
      caller: 'session',
      role: 'ADMIN',
      targets: ['esd.identity.v1.AdministrationService'],
      describe: {
        tag: 'Administration',
        summary: 'Enable or disable an account',
        details: `${ADMIN_SESSION} Disabling an account ends its sessions. Its personal access tokens are rejected until the account is enabled again.`,
        returns: 'The account.',
        errors: ['FORBIDDEN', 'SESSION_REQUIRED', 'ACCOUNT_NOT_FOUND', 'CONFLICT'],
        example: { parameters: EXAMPLE_ID, body: { enabled: false } },
      },
      parameters: accountId,
      body: jsonBody(z.strictObject({ enabled: z.boolean() })),
      answer: account,
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
