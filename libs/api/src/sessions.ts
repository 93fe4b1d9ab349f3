import { z } from 'zod';
import { operation } from './operation.ts';
import { accountRole } from './account-role.ts';
import { shortText } from './short-text.ts';
import { success } from './success.ts';

export const loginBody = z.strictObject({
  email: shortText,
  password: shortText,
  rememberMe: z.boolean().optional(),
  otp: shortText.optional().meta({
    description: 'A code from the authenticator app, or a recovery code; required if two-factor sign-in is enabled.',
  }),
});

const MAX_REFRESH_TOKEN_LENGTH = 10_000;

// Opaque to the gateway; identity-svc checks its length.
const refreshBody = z.strictObject({ refreshToken: z.string().min(1).max(MAX_REFRESH_TOKEN_LENGTH) });

export const sessionAnswer = z.strictObject({
  token: z.string(),
  refreshToken: z.string(),
  email: z.string(),
  role: accountRole,
  expiresIn: z.int().meta({ description: 'The lifetime of `token` in milliseconds.' }),
});

export const login = operation({
  method: 'post',
  caller: 'ignored',
  limit: 'accounts',
  path: '/auth/login',
  describe: {
    tag: 'Accounts',
    summary: 'Sign in',
    details:
      'A session lasts at most 90 days, regardless of refreshes. The owner is notified by email of a sign-in from a network that the account has not used recently. The response must not be stored (`Cache-Control: no-store`).',
    returns: 'A session.',
    errors: ['BAD_CREDENTIALS', 'EMAIL_NOT_VERIFIED', 'OTP_REQUIRED'],
    example: { body: { email: 'ada@example.org', password: 'correct horse battery staple', rememberMe: false } },
  },
  body: loginBody,
  response: sessionAnswer,
});

export const refresh = operation({
  method: 'post',
  caller: 'ignored',
  limit: 'accounts',
  path: '/auth/refresh',
  describe: {
    tag: 'Accounts',
    summary: 'Refresh a session',
    details: 'A refresh token works once. Reusing an old one ends the session.',
    returns: 'The session, with a new token and a new refresh token.',
    errors: ['TOKEN_INVALID', 'TOKEN_REVOKED', 'TOKEN_EXPIRED'],
    example: { body: { refreshToken: 'the refreshToken of the last response' } },
  },
  body: refreshBody,
  response: sessionAnswer,
});

export const session = z.strictObject({
  id: z.uuid(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().meta({ description: 'The time at which the session ends unless it is refreshed.' }),
  rememberMe: z.boolean(),
  current: z.boolean().meta({ description: 'Whether this request uses the session.' }),
  network: z.string().optional().meta({
    description:
      'The network from which the session began: the /24 of the IPv4 address or the /48 of the IPv6 address.',
  }),
  userAgent: z.string().optional().meta({ description: 'The User-Agent header of the sign-in, shortened.' }),
});

export const sessions = z.array(session);

const sessionId = z.object({ id: z.uuid('must be a session id (a UUID)') });

const SESSION_ONLY = 'Requires a session.';

export const listSessions = operation({
  method: 'get',
  path: '/auth/sessions',
  caller: 'session',
  describe: {
    tag: 'Accounts',
    summary: 'List the sessions of the caller',
    details: `${SESSION_ONLY} Lists at most 1,000 active sessions, newest first.`,
    returns: 'The sessions.',
    errors: ['SESSION_REQUIRED'],
  },
  response: sessions,
});

export const endSession = operation({
  method: 'delete',
  path: '/auth/sessions/{id}',
  caller: 'session',
  limit: 'accounts',
  describe: {
    tag: 'Accounts',
    summary: 'End a session',
    details: `${SESSION_ONLY} Afterwards, the token and the refresh token of the session are rejected.`,
    returns: 'A confirmation that the session has ended.',
    errors: ['SESSION_REQUIRED', 'SESSION_NOT_FOUND'],
    example: { parameters: { id: '0b7e7f0e-3c9a-4f39-9d3a-6f3f0a1d2c4b' } },
  },
  parameters: sessionId,
  response: success,
});

export const logout = operation({
  method: 'post',
  path: '/auth/logout',
  caller: 'session',
  limit: 'accounts',
  describe: {
    tag: 'Accounts',
    summary: 'Sign out',
    details: `${SESSION_ONLY} Ends the session of this request. Afterwards, its token and its refresh token are rejected.`,
    returns: 'A confirmation that the session has ended.',
    errors: ['SESSION_REQUIRED'],
  },
  response: success,
});

export const logoutAll = operation({
  method: 'post',
  path: '/auth/logout-all',
  caller: 'session',
  limit: 'accounts',
  describe: {
    tag: 'Accounts',
    summary: 'Sign out everywhere',
    details: `${SESSION_ONLY} Ends all sessions of the caller, including this one. Personal access tokens remain valid.`,
    returns: 'A confirmation that all sessions have ended.',
    errors: ['SESSION_REQUIRED'],
  },
  response: success,
});
