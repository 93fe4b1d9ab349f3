import { register } from '@esd/api/accounts';
import type { Route } from '../../http/route.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { serve } from '../../http/serve.ts';

export function registerRoutes({ identity }: Pick<Upstream, 'identity'>): Route[] {
  return [
    serve(register, {
      handle: async ({ body, call }, response) => {
        const { email } = await identity.register({ ...body, orcid: body.orcid ?? undefined }, call);
        const message = 'An email has been sent to this address; follow the link in it.';
        response.status(201).set('Cache-Control', 'no-store').json({ success: true, message, email });
      },
    }),
  ];
}
