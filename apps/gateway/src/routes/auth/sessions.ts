import type { z } from 'zod';
import type { OwnSession } from '@esd/proto/esd/identity/v1/sessions';
import type { session } from '@esd/api/sessions';
import { endSession, listSessions, logout, logoutAll } from '@esd/api/sessions';
import type { Route } from '../../http/route.ts';
import { sendSuccess } from '../../schemas/success.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { serve } from '../../http/serve.ts';

export function sessionRoutes({ sessions: service }: Pick<Upstream, 'sessions'>): Route[] {
  return [
    serve(listSessions, {
      targets: ['esd.identity.v1.SessionService'],
      handle: async ({ call }, response) => {
        const found = await service.listSessions({}, call);
        response.set('Cache-Control', 'no-store').json(found.sessions.map(sessionOf));
      },
    }),
    serve(endSession, {
      targets: ['esd.identity.v1.SessionService'],
      handle: async ({ parameters: { id }, call }, response) => {
        await service.endSession({ id }, call);
        sendSuccess(response, `Session ${id} has ended.`);
      },
    }),
    serve(logout, {
      targets: ['esd.identity.v1.SessionService'],
      handle: async ({ call }, response) => {
        await service.logout({}, call);
        sendSuccess(response, 'The session has ended.');
      },
    }),
    serve(logoutAll, {
      targets: ['esd.identity.v1.SessionService'],
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
