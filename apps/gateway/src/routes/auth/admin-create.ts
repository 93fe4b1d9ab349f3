import { z } from 'zod';
import { jsonBody } from '../../http/body/json-body.ts';
import { route, type Route } from '../../http/route.ts';
import { shortText } from '../../schemas/short-text.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { profileAnswer, profileOf } from './account-profile.ts';

const firstAdminBody = z.strictObject({ email: shortText, password: shortText, name: shortText });

export function adminCreateRoutes({ identity }: Pick<Upstream, 'identity'>): Route[] {
  return [
    route({
      method: 'post',
      path: '/auth/admin/create',
      caller: 'optional',
      limit: 'accounts',
      describe: {
        tag: 'Accounts',
        summary: 'Create the first administrator',
        details: 'Available until the first administrator exists.',
        returns: 'The new account.',
        status: 201,
        headers: { 'X-Bootstrap-Token': 'The bootstrap token, if one is configured.' },
        errors: ['FORBIDDEN', 'ADMIN_EXISTS'],
        example: {
          body: { email: 'ada@example.org', password: 'correct horse battery staple', name: 'Ada Example' },
        },
      },
      body: jsonBody(firstAdminBody),
      answer: profileAnswer,
      handle: async ({ body, request, call }, response) => {
        const bootstrapToken = request.get('x-bootstrap-token');
        const { account } = await identity.createFirstAdmin({ ...body, bootstrapToken }, call);
        response.status(201).set('Cache-Control', 'no-store').json(profileOf(account));
      },
    }),
  ];
}
