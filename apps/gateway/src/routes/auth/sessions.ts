import { z } from 'zod';
import type { OwnSession } from '@esd/proto/esd/identity/v1/sessions';
import { route, type Route } from '../../http/route.ts';
import { sendSuccess, success } from '../../schemas/success.ts';
import type { Upstream } from '../../upstream/upstream.ts';

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
const sessions = z.array(session);
const sessionId = z.object({ id: z.uuid('must be a session id (a UUID)') });

const SESSION_ONLY = 'Requires a session.';

export function sessionRoutes({ sessions: service }: Pick<Upstream, 'sessions'>): Route[] {
  return [
    route({
      method: 'get',
      path: '/auth/sessions',
      caller: 'session',
      targets: ['esd.identity.v1.SessionService'],
      describe: {
        tag: 'Accounts',
        summary: 'List the sessions of the caller',
        details: `${SESSION_ONLY} Lists at most 1,000 active sessions, newest first.`,
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
        details: `${SESSION_ONLY} Afterwards, the token and the refresh token of the session are rejected.`,
        returns: 'A confirmation that the session has ended.',
        errors: ['SESSION_REQUIRED', 'SESSION_NOT_FOUND'],
        example: { parameters: { id: '0b7e7f0e-3c9a-4f39-9d3a-6f3f0a1d2c4b' } },
      },
      parameters: sessionId,
      answer: success,
      handle: async ({ parameters: { id }, call }, response) => {
        await service.endSession({ id }, call);
        sendSuccess(response, `Session ${id} has ended.`);
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
        summary: 'Sign out',
        details: `${SESSION_ONLY} Ends the session of this request. Afterwards, its token and its refresh token are rejected.`,
        returns: 'A confirmation that the session has ended.',
        errors: ['SESSION_REQUIRED'],
      },
      answer: success,
      handle: async ({ call }, response) => {
        await service.logout({}, call);
        sendSuccess(response, 'The session has ended.');
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
        summary: 'Sign out everywhere',
        details: `${SESSION_ONLY} Ends all sessions of the caller, including this one. Personal access tokens remain valid.`,
        returns: 'A confirmation that all sessions have ended.',
        errors: ['SESSION_REQUIRED'],
      },
      answer: success,
      handle: async ({ call }, response) => {
        await service.logoutAll({}, call);
        sendSuccess(response, 'All sessions have ended.');
      },
    }),
  ];
}

export function sessionOf({ createdAt, expiresAt, ...rest }: OwnSession): z.output<typeof session> {
  if (!createdAt || !expiresAt) throw new Error('the session has no time');
  return { ...rest, createdAt: createdAt.toISOString(), expiresAt: expiresAt.toISOString() };
}
