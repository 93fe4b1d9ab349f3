import { getSessionKeys } from '@esd/api/service';
import type { Route } from '../../http/route.ts';
import { serve } from '../../http/serve.ts';
import type { Upstream } from '../../upstream/upstream.ts';

export function jwksRoutes({ sessions: service }: Pick<Upstream, 'sessions'>): Route[] {
  return [
    serve(getSessionKeys, {
      handle: async ({ call }, response) => {
        const { keys } = await service.listSessionKeys({}, call);
        const whole = keys.map(
          ({ x, y, kid }) => ({ kty: 'EC', crv: 'P-256', x, y, kid, use: 'sig', alg: 'ES256' }) as const,
        );
        // Shorter than the period in which two keys are valid.
        response.set('Cache-Control', 'public, max-age=300').json({ keys: whole });
      },
    }),
  ];
}
