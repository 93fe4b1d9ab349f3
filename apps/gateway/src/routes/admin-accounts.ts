import { z } from 'zod';
import type { AuditRecord } from '@esd/proto/esd/identity/v1/administration';
import { type Account, Role } from '@esd/proto/esd/identity/v1/identity';
import { accountRole, fromWireRole, toWireRole } from '../account-role.ts';
import { jsonBody } from '../json-body.ts';
import { linkHeader } from '../link-header.ts';
import { pagedAnswer, pagedHeaders, pagedQuery } from '../paged-list.ts';
import { route, type Route } from '../route.ts';
import type { Upstream } from '../upstream.ts';

const accountId = z.object({ id: z.uuid('must be an account id (UUID)') });
const accountsQuery = z.object({
  search: z
    .string()
    .min(1, 'must not be empty')
    .max(320, 'must have at most 320 characters')
    .refine((text) => !/\p{Cc}/u.test(text), 'must not hold control characters')
    .optional()
    .meta({ description: 'Part of the e-mail address or the name, in any case.' }),
  role: z.enum(accountRole.options, 'must be USER, MODERATOR or ADMIN').optional(),
  enabled: z.enum(['true', 'false'], 'must be true or false').optional(),
  ...pagedQuery.shape,
});
const auditQuery = z.object({
  actor: z.uuid('must be an account id (UUID)').optional().meta({ description: 'Who did it.' }),
  subject: z.uuid('must be an account id (UUID)').optional().meta({ description: 'Whom it concerns.' }),
  action: z
    .string()
    .regex(/^[a-z-]{1,60}$/, 'must be an action such as token-created')
    .optional(),
  from: instant().meta({ description: 'From this time on.' }),
  to: instant().meta({ description: 'Before this time.' }),
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
const auditEntry = z.strictObject({
  id: z.int(),
  at: z.iso.datetime(),
  action: z.string(),
  actor: z.uuid().optional().meta({ description: 'Account id; left out for somebody without a credential.' }),
  subject: z.uuid().optional().meta({ description: 'Account id.' }),
  requestId: z.string(),
  clientIp: z
    .string()
    .optional()
    .meta({ description: 'Forgotten after 90 days, unless set otherwise, or when one of the accounts is deleted.' }),
  details: z.record(z.string(), z.string()),
});

const ADMIN_SESSION = 'Needs the role ADMIN. The last enabled ADMIN cannot be changed.';
const EXAMPLE_ID = { id: '5f0c1f0e-8f0a-4a44-9a39-0d2f6f1d6c11' };

/** Accounts and their audit trail, for administrators. */
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
        summary: 'Accounts',
        details: 'Needs the role ADMIN. The oldest first.',
        returns: 'A page of the accounts.',
        answerHeaders: pagedHeaders,
        errors: ['FORBIDDEN'],
        example: { parameters: { role: 'ADMIN', limit: 10 } },
      },
      query: accountsQuery,
      answer: pagedAnswer(account),
      handle: async ({ query, call }, response) => {
        const { search, role, enabled, skip, limit } = query;
        const { accounts, total } = await administration.listAccounts(
          {
            search,
            role: role === undefined ? Role.ROLE_UNSPECIFIED : toWireRole(role),
            enabled: enabled === undefined ? undefined : enabled === 'true',
            skip,
            limit,
          },
          call,
        );
        const parameters = textParameters({ search, role, enabled });
        response
          .set({ 'Cache-Control': 'no-store', Link: linkHeader({ skip, limit, total, parameters }) })
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
        details: `${ADMIN_SESSION} Acts on the next request of the account.`,
        returns: 'The account.',
        errors: ['FORBIDDEN', 'SESSION_REQUIRED', 'ACCOUNT_NOT_FOUND', 'CONFLICT'],
        example: { parameters: EXAMPLE_ID, body: { role: 'MODERATOR' } },
      },
      parameters: accountId,
      body: jsonBody(z.strictObject({ role: accountRole })),
      answer: account,
      handle: async ({ parameters, body, call }, response) => {
        const request = { accountId: parameters.id, role: toWireRole(body.role) };
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
        details: `${ADMIN_SESSION} Disabling ends the sessions of the account; its personal access tokens are refused until it is enabled.`,
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
    route({
      method: 'get',
      path: '/admin/audit',
      caller: 'required',
      role: 'ADMIN',
      targets: ['esd.identity.v1.AdministrationService'],
      describe: {
        tag: 'Administration',
        summary: 'Audit trail of accounts',
        details: 'Needs the role ADMIN. The newest first.',
        returns: 'A page of the audit trail.',
        answerHeaders: pagedHeaders,
        errors: ['FORBIDDEN'],
        example: { parameters: { action: 'login', limit: 10 } },
      },
      query: auditQuery,
      answer: pagedAnswer(auditEntry),
      handle: async ({ query, call }, response) => {
        const { actor, subject, action, from, to, skip, limit } = query;
        const { records, total } = await administration.listAudit(
          { actor, subject, action, from, to, skip, limit },
          call,
        );
        const parameters = textParameters({
          actor,
          subject,
          action,
          from: from?.toISOString(),
          to: to?.toISOString(),
        });
        response
          .set({ 'Cache-Control': 'no-store', Link: linkHeader({ skip, limit, total, parameters }) })
          .json({ data: records.map(auditEntryOf), total, skip, limit });
      },
    }),
  ];
}

function instant() {
  return z.iso
    .datetime({ offset: true, error: 'must be a time such as 2026-01-31T12:00:00Z' })
    .transform((text) => new Date(text))
    .optional();
}

function textParameters(values: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

function accountOf(row: Account | undefined): z.output<typeof account> {
  if (!row?.createdAt) throw new Error('an answer without an account');
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

function auditEntryOf({ at, ...entry }: AuditRecord): z.output<typeof auditEntry> {
  if (!at) throw new Error(`audit entry ${entry.id} without a time`);
  return { ...entry, at: at.toISOString() };
}
