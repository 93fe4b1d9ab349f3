import { z } from 'zod';
import type { OwnSession } from '@esd/proto/esd/identity/v1/sessions';
import { route, type Route } from '../route.ts';
import { success } from '../success.ts';
import type { Upstream } from '../upstream.ts';

const session = z.strictObject({
  id: z.uuid(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().meta({ description: 'When it ends unless it is refreshed.' }),
  rememberMe: z.boolean(),
  current: z.boolean().meta({ description: 'Whether it is the one of this request.' }),
  network: z.string().optional().meta({
    description: 'From where it began, the last part of the address left out: the /24 of IPv4, the /48 of IPv6.',
  }),
  userAgent: z.string().optional().meta({ description: 'What the browser or program said it is, shortened.' }),
});
const sessions = z.array(session);
const sessionId = z.object({ id: z.uuid('must be a session id (UUID)') });

// RFC 7517; a P-256 key of RFC 7518 §6.2.1.
const keySet = z.strictObject({
  keys: z.array(
    z.strictObject({
      kty: z.literal('EC'),
      crv: z.literal('P-256'),
      x: z.string(),
      y: z.string(),
      kid: z.string(),
      use: z.literal('sig'),
      alg: z.literal('ES256'),
    }),
  ),
});

const SESSION_ONLY = 'Needs a session.';

/** Sessions of the caller, and the keys that session tokens are verified with. */
export function sessionRoutes({ sessions: service }: Pick<Upstream, 'sessions'>): Route[] {
  return [
    route({
      method: 'get',
      path: '/auth/sessions',
      caller: 'session',
      targets: ['esd.identity.v1.SessionService'],
      describe: {
        tag: 'Accounts',
        summary: 'Sessions of the caller',
        details: `${SESSION_ONLY} Those that have not ended, the newest first; at most 1,000.`,
        returns: 'The sessions.',
        errors: ['SESSION_REQUIRED'],
      },
      answer: sessions,
      handle: async ({ call }, response) => {
        const found = await service.listSessions({}, call);
        response.set('Cache-Control', 'no-store').json(found.sessions.map(sessionOf));
      },
    }),
    route({
      method: 'delete',
      path: '/auth/sessions/:id',
      caller: 'session',
      targets: ['esd.identity.v1.SessionService'],
      limit: 'accounts',
      describe: {
        tag: 'Accounts',
        summary: 'End a session',
        details: `${SESSION_ONLY} Its token and its refresh token are refused from now on.`,
        returns: 'The session has ended.',
        errors: ['SESSION_REQUIRED', 'SESSION_NOT_FOUND'],
        example: { parameters: { id: '0b7e7f0e-3c9a-4f39-9d3a-6f3f0a1d2c4b' } },
      },
      parameters: sessionId,
      answer: success,
      handle: async ({ parameters: { id }, call }, response) => {
        await service.endSession({ id }, call);
        response.set('Cache-Control', 'no-store').json({ success: true, message: `Session ${id} has ended.` });
      },
    }),
    route({
      method: 'post',
      path: '/auth/logout',
      caller: 'session',
      targets: ['esd.identity.v1.SessionService'],
      limit: 'accounts',
      describe: {
        tag: 'Accounts',
        summary: 'Log out',
        details: `${SESSION_ONLY} Ends the session of this request: its token and its refresh token are refused from now on.`,
        returns: 'The session has ended.',
        errors: ['SESSION_REQUIRED'],
      },
      answer: success,
      handle: async ({ call }, response) => {
        await service.logout({}, call);
        response.set('Cache-Control', 'no-store').json({ success: true, message: 'The session has ended.' });
      },
    }),
    route({
      method: 'post',
      path: '/auth/logout-all',
      caller: 'session',
      targets: ['esd.identity.v1.SessionService'],
      limit: 'accounts',
      describe: {
        tag: 'Accounts',
        summary: 'Log out everywhere',
        details: `${SESSION_ONLY} Ends all sessions of the caller, this one included. Personal access tokens stay.`,
        returns: 'All sessions have ended.',
        errors: ['SESSION_REQUIRED'],
      },
      answer: success,
      handle: async ({ call }, response) => {
        await service.logoutAll({}, call);
        response.set('Cache-Control', 'no-store').json({ success: true, message: 'All sessions have ended.' });
      },
    }),
    route({
      method: 'get',
      path: '/.well-known/jwks.json',
      caller: 'ignored',
      describe: {
        tag: 'Service',
        summary: 'Public keys of session tokens',
        details: 'A JWK set (RFC 7517). While a key is replaced there are two; the first one signs.',
        returns: 'The keys.',
      },
      answer: keySet,
      handle: async ({ call }, response) => {
        const { keys } = await service.listSessionKeys({}, call);
        const whole = keys.map(
          ({ x, y, kid }) => ({ kty: 'EC', crv: 'P-256', x, y, kid, use: 'sig', alg: 'ES256' }) as const,
        );
        // Shorter than two keys are kept side by side.
        response.set('Cache-Control', 'public, max-age=300').json({ keys: whole });
      },
    }),
  ];
}

function sessionOf({ createdAt, expiresAt, ...rest }: OwnSession): z.output<typeof session> {
  if (!createdAt || !expiresAt) throw new Error('a session without a time');
  return { ...rest, createdAt: createdAt.toISOString(), expiresAt: expiresAt.toISOString() };
}
