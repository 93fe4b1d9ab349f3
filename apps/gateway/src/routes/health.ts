import { getHealth } from '@esd/api/service';
import type { Route } from '../http/route.ts';
import { serve } from '../http/serve.ts';
import { sendJson } from '../http/send-json.ts';

export function healthRoutes(): Route[] {
  return [
    serve(getHealth, {
      handle: (_input, response) => {
        response.setHeader('Cache-Control', 'no-store');
        sendJson(response, { status: 'UP' });
      },
    }),
  ];
}
