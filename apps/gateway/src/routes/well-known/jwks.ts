import { z } from 'zod';
import { route, type Route } from '../../http/route.ts';
import type { Upstream } from '../../upstream/upstream.ts';

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

export function jwksRoutes({ sessions: service }: Pick<Upstream, 'sessions'>): Route[] {
  return [
    route({
      method: 'get',
      path: '/.well-known/jwks.json',
      caller: 'ignored',
      describe: {
        tag: 'Service',
        summary: 'Get the public keys of session tokens',
        details:
          'The response is a JWK set (RFC 7517). While a key is being replaced, it contains two keys; the first one signs.',
        returns: 'The keys.',
      },
      answer: keySet,
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
