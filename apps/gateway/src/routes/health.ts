import { z } from 'zod';
import { route, type Route } from '../http/route.ts';
import { sendJson } from '../http/send-json.ts';

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
        response.setHeader('Cache-Control', 'no-store');
        sendJson(response, { status: 'UP' });
      },
    }),
  ];
}
