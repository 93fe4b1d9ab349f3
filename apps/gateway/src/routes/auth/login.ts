import { z } from 'zod';
import type { Session } from '@esd/proto/esd/identity/v1/identity';
import { jsonBody } from '../../http/body/json-body.ts';
import { route, type Route } from '../../http/route.ts';
import { accountRole, fromWireRole } from '../../schemas/account-role.ts';
import { shortText } from '../../schemas/short-text.ts';
import type { Upstream } from '../../upstream/upstream.ts';

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

export function loginRoutes({ identity }: Pick<Upstream, 'identity'>): Route[] {
  const open = { method: 'post', caller: 'ignored', limit: 'accounts' } as const;
  return [
    route({
      ...open,
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
      body: jsonBody(loginBody),
      answer: sessionAnswer,
      handle: async ({ body: { email, password, rememberMe = false, otp }, request, call }, response) => {
        const userAgent = request.get('user-agent');
        const { session } = await identity.login({ email, password, rememberMe, otp, userAgent }, call);
        response.set('Cache-Control', 'no-store').json(sessionOf(session));
      },
    }),
    route({
      ...open,
      path: '/auth/refresh',
      describe: {
        tag: 'Accounts',
        summary: 'Refresh a session',
        details: 'A refresh token works once. Reusing an old one ends the session.',
        returns: 'The session, with a new token and a new refresh token.',
        errors: ['TOKEN_INVALID', 'TOKEN_REVOKED', 'TOKEN_EXPIRED'],
        example: { body: { refreshToken: 'the refreshToken of the last response' } },
      },
      body: jsonBody(refreshBody),
      answer: sessionAnswer,
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
