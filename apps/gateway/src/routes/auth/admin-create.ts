import { createAdmin } from '@esd/api/accounts';
import type { Route } from '../../http/route.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { profileOf } from './account-profile.ts';
import { serve } from '../../http/serve.ts';

export function adminCreateRoutes({ identity }: Pick<Upstream, 'identity'>): Route[] {
  return [
    serve(createAdmin, {
      handle: async ({ body, request, call }, response) => {
        const bootstrapToken = request.get('x-bootstrap-token');
        const { account } = await identity.createFirstAdmin({ ...body, bootstrapToken }, call);
        response.status(201).set('Cache-Control', 'no-store').json(profileOf(account));
      },
    }),
  ];
}
