import type { z } from 'zod';
import type { Session } from '@esd/proto/esd/identity/v1/identity';
import type { sessionAnswer } from '@esd/api/sessions';
import { login, refresh } from '@esd/api/sessions';
import type { Route } from '../../http/route.ts';
import { fromWireRole } from '../../schemas/account-role.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { serve } from '../../http/serve.ts';

export function loginRoutes({ identity }: Pick<Upstream, 'identity'>): Route[] {
  return [
    serve(login, {
      handle: async ({ body: { email, password, rememberMe = false, otp }, request, call }, response) => {
        const userAgent = request.get('user-agent');
        const { session } = await identity.login({ email, password, rememberMe, otp, userAgent }, call);
        response.set('Cache-Control', 'no-store').json(sessionOf(session));
      },
    }),
    serve(refresh, {
      handle: async ({ body, call }, response) => {
        const { session } = await identity.refresh(body, call);
        response.set('Cache-Control', 'no-store').json(sessionOf(session));
      },
    }),
  ];
}

function sessionOf(session: Session | undefined): z.output<typeof sessionAnswer> {
  if (!session) throw new Error('the response has no session');
  const { token, refreshToken, email, expiresInMs } = session;
  return { token, refreshToken, email, role: fromWireRole(session.role), expiresIn: expiresInMs };
}
