import { z } from 'zod';
import { errorResponse } from '@esd/service/http/error-body';
import { ServiceError } from '@esd/service/errors';
import type { Readiness } from '@esd/service/health/readiness';
import { route, type Route } from '../http/route.ts';
import { errorBody } from '@esd/api/error-body';

const readyAnswer = z.strictObject({
  ready: z.boolean(),
  dependencies: z.record(z.string(), z.enum(['up', 'down'])),
  warnings: z.array(z.string()),
});

/** Returns the readiness route, which responds with 503 while reads cannot work. */
export function readyRoutes(readiness: Readiness): Route[] {
  return [
    route({
      method: 'get',
      path: '/ready',
      caller: 'ignored',
      limit: 'none',
      describe: {
        tag: 'Service',
        summary: 'Check that the service is ready',
        returns:
          'The service is ready. The response contains the state of each service behind the gateway, and warnings for operators, such as a disk that is 80 % full.',
        otherAnswers: { 503: z.strictObject({ ...errorBody.shape, ...readyAnswer.shape }) },
      },
      answer: readyAnswer,
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
