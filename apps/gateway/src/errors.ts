import type { ErrorRequestHandler, RequestHandler } from 'express';
import { errorAnswer, type ErrorDetails } from '@esd/service/error-body';
import type { Logger } from '@esd/service/log';
import { ServiceError, toServiceError, type ErrorCode } from '@esd/service/errors';

/** A refusal that says more than its message: all problems with their paths, or what is missing. */
export class DetailedError extends ServiceError {
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, details: ErrorDetails) {
    super(code, message);
    this.details = details;
  }
}

/** Answers 404 to what no route knows. */
export const notFound: RequestHandler = (request) => {
  throw new ServiceError('ROUTE_NOT_FOUND', `There is nothing at ${request.baseUrl}${request.path}.`);
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
    const answer = errorAnswer(error, requestId, thrown instanceof DetailedError ? thrown.details : undefined);
    for (const name of ['ETag', 'Link', 'Location', 'Content-Disposition', 'Content-Length'])
      response.removeHeader(name);
    response.status(answer.status).set(answer.headers).json(answer.body);
  };
}
