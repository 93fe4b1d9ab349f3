import { getReadiness } from '@esd/api/service';
import { errorResponse } from '@esd/service/http/error-body';
import { ServiceError } from '@esd/service/errors';
import type { Readiness } from '@esd/service/health/readiness';
import type { Route } from '../http/route.ts';
import { serve } from '../http/serve.ts';

/** Returns the readiness route, which responds with 503 while reads cannot work. */
export function readyRoutes(readiness: Readiness): Route[] {
  return [
    serve(getReadiness, {
      handle: ({ call }, response) => {
        const state = readiness.current();
        if (state.ready) {
          response.set('Cache-Control', 'no-store').json(state);
          return;
        }
        const notReady = new ServiceError(
          'UNAVAILABLE',
          'This gateway is not ready: a service that public reads depend on is down, or the gateway is shutting down.',
        );
        const { status, headers, body } = errorResponse(notReady, call.requestId);
        response
          .status(status)
          .set(headers)
          .json({ ...body, ...state });
      },
    }),
  ];
}
