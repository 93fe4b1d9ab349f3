import { z } from 'zod';
import { accountRole } from './account-role.ts';
import { operation } from './operation.ts';
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

const signedIn = sessionAnswer.omit({ refreshToken: true });

const emptyBody = z.strictObject({});

const OWN_PAGES =
  'Only for the web pages of this service: `Origin` must be its own, and no CORS header allows other origins. Programs use `/auth/login` and `/auth/refresh`.';

const SET_COOKIE = {
  'Set-Cookie':
    'The refresh token, which only the paths of `/session` read. The cookie is `HttpOnly`, `SameSite=Strict`, and `Secure` if the public URL is https.',
};

const headers = { Origin: 'The origin of the service, as browsers send it.', Cookie: 'The cookie that a sign-in set.' };

export const beginBrowserSession = operation({
  caller: 'ignored',
  ownPagesOnly: true,
  method: 'post',
  path: '/session',
  limit: 'accounts',
  describe: {
    tag: 'Accounts',
    summary: 'Sign in with a browser',
    details: `${OWN_PAGES} With \`rememberMe\`, the cookie persists after the browser is closed. The response must not be stored (\`Cache-Control: no-store\`).`,
    returns: 'A session token. The refresh token is only in the cookie.',
    headers: { Origin: headers.Origin },
    answerHeaders: SET_COOKIE,
    errors: ['BAD_CREDENTIALS', 'EMAIL_NOT_VERIFIED', 'OTP_REQUIRED'],
    example: { body: { email: 'ada@example.org', password: 'correct horse battery staple', rememberMe: false } },
  },
  body: loginBody,
  response: signedIn,
});

export const refreshBrowserSession = operation({
  caller: 'ignored',
  ownPagesOnly: true,
  method: 'post',
  path: '/session/refresh',
  limit: 'sessions',
  describe: {
    tag: 'Accounts',
    summary: 'Refresh a browser session',
    details: `${OWN_PAGES} The same cookie can be sent again within 30 seconds, because tabs share it and a response may get lost. After that, it ends the session. A rejected refresh also counts in the rate limit \`accounts\`.`,
    returns: 'A session token. The next refresh token is in the cookie.',
    alternative: { status: 204, returns: 'The request has no cookie, so no user is signed in.' },
    headers,
    answerHeaders: SET_COOKIE,
    errors: ['TOKEN_INVALID', 'TOKEN_REVOKED', 'TOKEN_EXPIRED'],
    example: { body: {} },
  },
  body: emptyBody,
  isBodyOptional: true,
  response: signedIn,
});

export const endBrowserSession = operation({
  caller: 'ignored',
  ownPagesOnly: true,
  method: 'delete',
  path: '/session',
  limit: 'sessions',
  describe: {
    tag: 'Accounts',
    summary: 'Sign out with a browser',
    details: `${OWN_PAGES} Ends the session of the cookie and deletes the cookie. A request without a cookie gets the same response.`,
    returns: 'A confirmation that the user is signed out.',
    headers,
  },
  response: success,
});
