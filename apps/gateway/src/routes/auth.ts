import { z } from 'zod';
import type { Account, Session } from '@esd/proto/esd/identity/v1/identity';
import { profileAnswer, profileOf } from '../account-profile.ts';
import { accountRole, fromWireRole } from '../account-role.ts';
import { jsonBody } from '../json-body.ts';
import { route, type Route } from '../route.ts';
import { shortText } from '../short-text.ts';
import type { Upstream } from '../upstream.ts';

const firstAdminBody = z.strictObject({ email: shortText, password: shortText, name: shortText });
const loginBody = z.strictObject({
  email: shortText,
  password: shortText,
  rememberMe: z.boolean().optional(),
  otp: shortText.optional().meta({
    description: 'Where two-factor sign-in is on: the code that the authenticator shows, or a recovery code.',
  }),
});
const LONGEST_REFRESH_TOKEN = 10_000;
// A refresh token is opaque here; identity-svc knows its length.
const refreshBody = z.strictObject({
  refreshToken: z.string().min(1, 'must not be empty').max(LONGEST_REFRESH_TOKEN),
});

const loginAnswer = z.strictObject({
  token: z.string(),
  refreshToken: z.string(),
  email: z.string(),
  role: accountRole,
  expiresIn: z.int().meta({ description: 'Milliseconds.' }),
});
const meAnswer = z.strictObject({ email: z.string(), role: accountRole, enabled: z.boolean() });

const NOT_KEPT = 'Not to be kept: `Cache-Control: no-store`.';
const example = { email: 'ada@example.org', password: 'correct horse battery staple' };

/** Accounts and sessions. */
export function authRoutes({ identity }: Pick<Upstream, 'identity'>): Route[] {
  return [
    route({
      method: 'post',
      path: '/auth/admin/create',
      caller: 'optional',
      limit: 'accounts',
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
      limit: 'accounts',
      describe: {
        tag: 'Accounts',
        summary: 'Log in',
        details: `A session lasts 90 days at most, however often it is renewed. A sign-in from a network that the account was not used from lately is told to its owner by mail. ${NOT_KEPT}`,
        returns: 'A session.',
        errors: ['BAD_CREDENTIALS', 'EMAIL_NOT_VERIFIED', 'OTP_REQUIRED'],
        example: { body: { ...example, rememberMe: false } },
      },
      body: jsonBody(loginBody),
      answer: loginAnswer,
      handle: async ({ body: { email, password, rememberMe = false, otp }, request, call }, response) => {
        const userAgent = request.get('user-agent');
        const { session } = await identity.login({ email, password, rememberMe, otp, userAgent }, call);
        response.set('Cache-Control', 'no-store').json(sessionOf(session));
      },
    }),
    route({
      method: 'post',
      path: '/auth/refresh',
      caller: 'ignored',
      limit: 'accounts',
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
      targets: ['esd.identity.v1.IdentityService'],
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
      targets: ['esd.identity.v1.IdentityService'],
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
  return { token, refreshToken, email, role: fromWireRole(session.role), expiresIn: expiresInMs };
}

function meOf(account: Account | undefined): z.output<typeof meAnswer> {
  if (!account) throw new Error('an answer without an account');
  return { email: account.email, role: fromWireRole(account.role), enabled: account.enabled };
}
