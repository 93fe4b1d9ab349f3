import { z } from 'zod';
import { errorAnswer } from '@esd/service/error-body';
import { ServiceError } from '@esd/service/errors';
import type { Readiness } from '@esd/service/readiness';
import { errorBody } from '../error-schema.ts';
import { route, type Route } from '../route.ts';

const readyAnswer = z.strictObject({
  ready: z.boolean(),
  dependencies: z.record(z.string(), z.enum(['up', 'down'])),
  warnings: z.array(z.string()),
});

/** GET /health (the process lives) and GET /ready (the services behind it by name; 503 when reads cannot work). */
export function healthRoutes(readiness: Readiness): Route[] {
  return [
    route({
      method: 'get',
      path: '/health',
      caller: 'ignored',
      limit: 'none',
      describe: { tag: 'Service', summary: 'Whether the process lives', returns: 'It lives.' },
      answer: z.strictObject({ status: z.literal('UP') }),
      handle: (_input, response) => {
        response.set('Cache-Control', 'no-store').json({ status: 'UP' });
      },
    }),
    route({
      method: 'get',
      path: '/ready',
      caller: 'ignored',
      limit: 'none',
      describe: {
        tag: 'Service',
        summary: 'Whether the service can work',
        returns:
          'It can; each service behind it by name, up or down, and what an operator should see to, such as a disk that is 80 % full.',
        otherAnswers: { 503: z.strictObject({ ...errorBody.shape, ...readyAnswer.shape }) },
      },
      answer: readyAnswer,
      handle: ({ call }, response) => {
        const state = readiness.current();
        if (state.ready) {
          response.set('Cache-Control', 'no-store').json(state);
          return;
        }
        const away = new ServiceError(
          'UNAVAILABLE',
          'This gateway cannot work: a service that reads need is away, or it was told to stop.',
        );
        const { status, headers, body } = errorAnswer(away, call.requestId);
        response
          .status(status)
          .set(headers)
          .json({ ...body, ...state });
      },
    }),
  ];
}
