import type { Session } from '@esd/proto/esd/identity/v1/identity';
import { ServiceError } from '@esd/service/errors';
import { beginBrowserSession, endBrowserSession, refreshBrowserSession } from '@esd/api/sessions';
import type { GatewayConfig } from '../config.ts';
import { limitBySecondClass } from '../http/limits/limit-by.ts';
import type { RateLimits } from '../http/limits/rate-limits.ts';
import type { Route } from '../http/route.ts';
import { sessionCookie } from '../http/session-cookie.ts';
import { fromWireRole } from '../schemas/account-role.ts';
import { sendSuccess } from '../schemas/success.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { serve } from '../http/serve.ts';

/** Returns the routes of browser sign-in. A page gets the session token; the refresh token is in a cookie that scripts cannot read. */
export function browserSessionRoutes(
  { identity }: Pick<Upstream, 'identity'>,
  config: Pick<GatewayConfig, 'ESD_PUBLIC_URL'>,
  limits: RateLimits,
): Route[] {
  const cookie = sessionCookie(config);
  return [
    serve(beginBrowserSession, {
      handle: async ({ body: { email, password, rememberMe = false, otp }, request, call }, response) => {
        const userAgent = request.get('user-agent');
        const { session } = await identity.login({ email, password, rememberMe, otp, userAgent }, call);
        const { refreshToken, rememberedUntil, answer } = readSession(session);
        cookie.set(response, refreshToken, rememberedUntil);
        response.set('Cache-Control', 'no-store').json(answer);
      },
    }),
    serve(refreshBrowserSession, {
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
    serve(endBrowserSession, {
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
