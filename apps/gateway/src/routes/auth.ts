import { z } from 'zod';
import { Role, type Account, type Session } from '@esd/proto/esd/identity/v1/identity';
import { jsonBody } from '../json-body.ts';
import { route, type Route } from '../route.ts';
import type { Upstream } from '../upstream.ts';

const LONGEST_TEXT = 1_000;
const text = z.string().min(1, 'must not be empty').max(LONGEST_TEXT, `must have at most ${LONGEST_TEXT} characters`);

const firstAdminBody = z.strictObject({ email: text, password: text, name: text });
const loginBody = z.strictObject({ email: text, password: text, rememberMe: z.boolean().optional() });
// A refresh token is opaque here; identity-svc knows its length.
const refreshBody = z.strictObject({
  refreshToken: z
    .string()
    .min(1, 'must not be empty')
    .max(10 * LONGEST_TEXT),
});

const role = z.enum(['USER', 'MODERATOR', 'ADMIN']).meta({ id: 'Role' });
const loginAnswer = z.strictObject({
  token: z.string(),
  refreshToken: z.string(),
  email: z.string(),
  role,
  expiresIn: z.int().meta({ description: 'Milliseconds.' }),
});
const meAnswer = z.strictObject({ email: z.string(), role, enabled: z.boolean() });
const profileAnswer = z.strictObject({
  email: z.string(),
  emailVerified: z.boolean(),
  role,
  createdAt: z.iso.datetime(),
  name: z.string(),
  orcid: z.string().optional(),
});

const NOT_KEPT = 'Not to be kept: `Cache-Control: no-store`.';
const example = { email: 'ada@example.org', password: 'correct horse battery staple' };

/** Accounts and sessions. */
export function authRoutes({ identity }: Pick<Upstream, 'identity'>): Route[] {
  return [
    route({
      method: 'post',
      path: '/auth/admin/create',
      caller: 'ignored',
      describe: {
        tag: 'Accounts',
        summary: 'Create the first administrator',
        details: 'Works as long as there is no administrator.',
        returns: 'The new account.',
        status: 201,
        headers: { 'X-Bootstrap-Token': 'The bootstrap token, where one is configured.' },
        errors: ['FORBIDDEN', 'ADMIN_EXISTS'],
        example: { body: { ...example, name: 'Ada Example' } },
      },
      body: jsonBody(firstAdminBody),
      answer: profileAnswer,
      handle: async ({ body, request, call }, response) => {
        const bootstrapToken = request.get('x-bootstrap-token');
        const { account } = await identity.createFirstAdmin({ ...body, bootstrapToken }, call);
        response.status(201).set('Cache-Control', 'no-store').json(profileOf(account));
      },
    }),
    route({
      method: 'post',
      path: '/auth/login',
      caller: 'ignored',
      describe: {
        tag: 'Accounts',
        summary: 'Log in',
        details: NOT_KEPT,
        returns: 'A session.',
        errors: ['BAD_CREDENTIALS', 'EMAIL_NOT_VERIFIED'],
        example: { body: { ...example, rememberMe: false } },
      },
      body: jsonBody(loginBody),
      answer: loginAnswer,
      handle: async ({ body: { email, password, rememberMe = false }, call }, response) => {
        const { session } = await identity.login({ email, password, rememberMe }, call);
        response.set('Cache-Control', 'no-store').json(sessionOf(session));
      },
    }),
    route({
      method: 'post',
      path: '/auth/refresh',
      caller: 'ignored',
      describe: {
        tag: 'Accounts',
        summary: 'Renew a session',
        details: 'A refresh token can be used once; using an old one again ends the session.',
        returns: 'The session, with a new token and a new refresh token.',
        errors: ['TOKEN_INVALID', 'TOKEN_REVOKED', 'TOKEN_EXPIRED'],
        example: { body: { refreshToken: 'the refreshToken of the last answer' } },
      },
      body: jsonBody(refreshBody),
      answer: loginAnswer,
      handle: async ({ body, call }, response) => {
        const { session } = await identity.refresh(body, call);
        response.set('Cache-Control', 'no-store').json(sessionOf(session));
      },
    }),
    route({
      method: 'get',
      path: '/auth/me',
      caller: 'required',
      describe: { tag: 'Accounts', summary: 'Who the caller is', details: NOT_KEPT, returns: 'The account in short.' },
      answer: meAnswer,
      handle: async ({ call }, response) => {
        const { account } = await identity.getOwnAccount({}, call);
        response.set('Cache-Control', 'no-store').json(meOf(account));
      },
    }),
    route({
      method: 'get',
      path: '/auth/profile',
      caller: 'required',
      describe: { tag: 'Accounts', summary: 'Profile of the caller', details: NOT_KEPT, returns: 'The account.' },
      answer: profileAnswer,
      handle: async ({ call }, response) => {
        const { account } = await identity.getOwnAccount({}, call);
        response.set('Cache-Control', 'no-store').json(profileOf(account));
      },
    }),
  ];
}

function sessionOf(session: Session | undefined): z.output<typeof loginAnswer> {
  if (!session) throw new Error('an answer without a session');
  const { token, refreshToken, email, expiresInMs } = session;
  return { token, refreshToken, email, role: roleOf(session.role), expiresIn: expiresInMs };
}

function meOf(account: Account | undefined): z.output<typeof meAnswer> {
  if (!account) throw new Error('an answer without an account');
  return { email: account.email, role: roleOf(account.role), enabled: account.enabled };
}

function profileOf(account: Account | undefined): z.output<typeof profileAnswer> {
  if (!account?.createdAt) throw new Error('an answer without an account');
  const { email, emailVerified, createdAt, name, orcid } = account;
  return { email, emailVerified, role: roleOf(account.role), createdAt: createdAt.toISOString(), name, orcid };
}

function roleOf(value: Role): z.output<typeof role> {
  switch (value) {
    case Role.ROLE_USER:
      return 'USER';
    case Role.ROLE_MODERATOR:
      return 'MODERATOR';
    case Role.ROLE_ADMIN:
      return 'ADMIN';
    case Role.ROLE_UNSPECIFIED:
      throw new Error('an account without a role');
  }
}
