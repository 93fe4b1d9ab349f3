import type { ErrorRequestHandler, RequestHandler } from 'express';
import { describe } from '@esd/record/validate/problems';
import { errorAnswer } from '@esd/service/http/error-body';
import type { Logger } from '@esd/service/health/log';
import { ServiceError, toServiceError } from '@esd/service/errors';

/** Answers 404 to a path that no route has. */
export const notFound: RequestHandler = (request) => {
  throw new ServiceError(
    'ROUTE_NOT_FOUND',
    `Unknown path ${describe(request.baseUrl + request.path)}; /openapi.json lists all paths.`,
  );
};

/** Answers every error with the one error body; an answer that has begun is cut instead, so that it never looks whole. */
export function errorHandler(log: Logger): ErrorRequestHandler {
  return (thrown: unknown, request, response, _next) => {
    // The caller is gone, and what was begun for it has been canceled: nobody to answer, nothing to report.
    if (response.destroyed || response.closed) return;
    const error = toServiceError(thrown);
    const { requestId } = request;
    if (error.code === 'INTERNAL') log.error({ requestId, err: thrown }, 'unexpected error');
    if (error.code === 'UNAVAILABLE') log.warn({ requestId, err: error.cause ?? thrown }, 'unavailable');
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const answer = errorAnswer(error, requestId);
    for (const name of ['ETag', 'Link', 'Location', 'Content-Disposition', 'Content-Length'])
      response.removeHeader(name);
    response.status(answer.status).set(answer.headers).json(answer.body);
  };
}
