import { z } from 'zod';
import type { Session } from '@esd/proto/esd/identity/v1/identity';
import { ServiceError } from '@esd/service/errors';
import type { GatewayConfig } from '../config.ts';
import { jsonBody, optionalJsonBody } from '../http/body/json-body.ts';
import { limitAlsoBy } from '../http/limits/limit-by.ts';
import type { RateLimits } from '../http/limits/rate-limits.ts';
import { route, type Route } from '../http/route.ts';
import { sessionCookie } from '../http/session-cookie.ts';
import { fromWireRole } from '../schemas/account-role.ts';
import { sendSuccess, success } from '../schemas/success.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { loginBody, sessionAnswer } from './auth/login.ts';

const signedIn = sessionAnswer.omit({ refreshToken: true });
const noMembers = z.strictObject({});

const OWN_PAGES =
  'For the pages of this service: `Origin` must be its own, and no CORS header lets the pages of others ask. Programs use `/auth/login` and `/auth/refresh`.';
const SET_COOKIE = {
  'Set-Cookie':
    'The refresh token, for the paths of `/session` alone: `HttpOnly`, `SameSite=Strict`, and `Secure` where the public URL is https.',
};
const headers = { Origin: 'That of the service, as browsers send it.', Cookie: 'The cookie that a sign-in set.' };

/** Sign-in in the browser: the session token for the memory of a page, and the refresh token in a cookie that no script can read. */
export function browserSessionRoutes(
  { identity }: Pick<Upstream, 'identity'>,
  config: Pick<GatewayConfig, 'ESD_PUBLIC_URL'>,
  limits: RateLimits,
): Route[] {
  const cookie = sessionCookie(config);
  const own = { caller: 'ignored', ownPagesOnly: true } as const;
  return [
    route({
      ...own,
      method: 'post',
      path: '/session',
      limit: 'accounts',
      describe: {
        tag: 'Accounts',
        summary: 'Sign in with a browser',
        details: `${OWN_PAGES} With \`rememberMe\` the cookie outlives the browser. Must not be stored: \`Cache-Control: no-store\`.`,
        returns: 'A session token; the refresh token is in the cookie alone.',
        headers: { Origin: headers.Origin },
        answerHeaders: SET_COOKIE,
        errors: ['BAD_CREDENTIALS', 'EMAIL_NOT_VERIFIED', 'OTP_REQUIRED'],
        example: { body: { email: 'ada@example.org', password: 'correct horse battery staple', rememberMe: false } },
      },
      body: jsonBody(loginBody),
      answer: signedIn,
      handle: async ({ body: { email, password, rememberMe = false, otp }, request, call }, response) => {
        const userAgent = request.get('user-agent');
        const { session } = await identity.login({ email, password, rememberMe, otp, userAgent }, call);
        const { refreshToken, rememberedUntil, answer } = readSession(session);
        cookie.set(response, refreshToken, rememberedUntil);
        response.set('Cache-Control', 'no-store').json(answer);
      },
    }),
    route({
      ...own,
      method: 'post',
      path: '/session/refresh',
      limit: 'sessions',
      describe: {
        tag: 'Accounts',
        summary: 'Stay signed in with a browser',
        details: `${OWN_PAGES} Within 30 seconds the same cookie may come again, since tabs share it and an answer may get lost; later that ends the session. A refused refresh counts as \`accounts\` too.`,
        returns: 'A session token; the next refresh token is in the cookie.',
        alternative: { status: 204, returns: 'The request has no cookie: nobody is signed in.' },
        headers,
        answerHeaders: SET_COOKIE,
        errors: ['TOKEN_INVALID', 'TOKEN_REVOKED', 'TOKEN_EXPIRED'],
        example: { body: {} },
      },
      body: optionalJsonBody(noMembers),
      answer: signedIn,
      handle: async ({ request, call }, response) => {
        response.set('Cache-Control', 'no-store');
        const refreshToken = cookie.read(request);
        if (refreshToken === undefined) {
          response.status(204).end();
          return;
        }
        const { session } = await identity.refresh({ refreshToken, shared: true }, call).catch((error: unknown) => {
          if (error instanceof ServiceError && error.code.startsWith('TOKEN_')) {
            cookie.clear(response);
            limitAlsoBy(limits, 'accounts', request.exchange);
          }
          throw error;
        });
        const { rememberedUntil, answer, ...next } = readSession(session);
        cookie.set(response, next.refreshToken, rememberedUntil);
        response.json(answer);
      },
    }),
    route({
      ...own,
      method: 'delete',
      path: '/session',
      limit: 'sessions',
      describe: {
        tag: 'Accounts',
        summary: 'Sign out with a browser',
        details: `${OWN_PAGES} Ends the session of the cookie and takes the cookie away; a request without a cookie gets the same answer.`,
        returns: 'A confirmation that nobody is signed in.',
        headers,
      },
      answer: success,
      handle: async ({ request, call }, response) => {
        const refreshToken = cookie.read(request);
        if (refreshToken !== undefined) await identity.endByRefreshToken({ refreshToken }, call);
        cookie.clear(response);
        sendSuccess(response, 'You are signed out in this browser.');
      },
    }),
  ];
}

function readSession(session: Session | undefined) {
  if (!session) throw new Error('an answer without a session');
  const { token, email, role, expiresInMs, refreshToken, rememberedUntil } = session;
  const answer = { token, email, role: fromWireRole(role), expiresIn: expiresInMs };
  return { refreshToken, rememberedUntil, answer };
}
