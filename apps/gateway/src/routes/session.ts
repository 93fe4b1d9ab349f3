import { loginBody, sessionAnswer } from '@esd/api/sessions';
import { success } from '@esd/api/success';
import { z } from 'zod';
import type { Session } from '@esd/proto/esd/identity/v1/identity';
import { ServiceError } from '@esd/service/errors';
import type { GatewayConfig } from '../config.ts';
import { jsonBody, optionalJsonBody } from '../http/body/json-body.ts';
import { limitBySecondClass } from '../http/limits/limit-by.ts';
import type { RateLimits } from '../http/limits/rate-limits.ts';
import { route, type Route } from '../http/route.ts';
import { sessionCookie } from '../http/session-cookie.ts';
import { fromWireRole } from '../schemas/account-role.ts';
import { sendSuccess } from '../schemas/success.ts';
import type { Upstream } from '../upstream/upstream.ts';

const signedIn = sessionAnswer.omit({ refreshToken: true });
const emptyBody = z.strictObject({});

const OWN_PAGES =
  'Only for the web pages of this service: `Origin` must be its own, and no CORS header allows other origins. Programs use `/auth/login` and `/auth/refresh`.';
const SET_COOKIE = {
  'Set-Cookie':
    'The refresh token, which only the paths of `/session` read. The cookie is `HttpOnly`, `SameSite=Strict`, and `Secure` if the public URL is https.',
};
const headers = { Origin: 'The origin of the service, as browsers send it.', Cookie: 'The cookie that a sign-in set.' };

/** Returns the routes of browser sign-in. A page gets the session token; the refresh token is in a cookie that scripts cannot read. */
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
        details: `${OWN_PAGES} With \`rememberMe\`, the cookie persists after the browser is closed. The response must not be stored (\`Cache-Control: no-store\`).`,
        returns: 'A session token. The refresh token is only in the cookie.',
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
        summary: 'Refresh a browser session',
        details: `${OWN_PAGES} The same cookie can be sent again within 30 seconds, because tabs share it and a response may get lost. After that, it ends the session. A rejected refresh also counts in the rate limit \`accounts\`.`,
        returns: 'A session token. The next refresh token is in the cookie.',
        alternative: { status: 204, returns: 'The request has no cookie, so no user is signed in.' },
        headers,
        answerHeaders: SET_COOKIE,
        errors: ['TOKEN_INVALID', 'TOKEN_REVOKED', 'TOKEN_EXPIRED'],
        example: { body: {} },
      },
      body: optionalJsonBody(emptyBody),
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
            limitBySecondClass(limits, 'accounts', request.exchange);
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
        details: `${OWN_PAGES} Ends the session of the cookie and deletes the cookie. A request without a cookie gets the same response.`,
        returns: 'A confirmation that the user is signed out.',
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
  if (!session) throw new Error('the response has no session');
  const { token, email, role, expiresInMs, refreshToken, rememberedUntil } = session;
  const answer = { token, email, role: fromWireRole(role), expiresIn: expiresInMs };
  return { refreshToken, rememberedUntil, answer };
}
