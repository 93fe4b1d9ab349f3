import { z } from 'zod';
import { route, type Route } from '../http/route.ts';

/** GET /health: the process is alive. */
export function healthRoutes(): Route[] {
  return [
    route({
      method: 'get',
      path: '/health',
      caller: 'ignored',
      limit: 'none',
      describe: { tag: 'Service', summary: 'Check that the gateway is alive', returns: 'The gateway is alive.' },
      answer: z.strictObject({ status: z.literal('UP') }),
      handle: (_input, response) => {
        response.set('Cache-Control', 'no-store').json({ status: 'UP' });
      },
    }),
  ];
}
