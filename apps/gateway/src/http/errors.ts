import type { ErrorRequestHandler, Request, RequestHandler } from 'express';
import { describe } from '@esd/record/validate/problems';
import { errorAnswer } from '@esd/service/http/error-body';
import type { Logger } from '@esd/service/health/log';
import { ServiceError, toServiceError } from '@esd/service/errors';
import type { Exchange } from './exchange.ts';
import { sendJson } from './send-json.ts';

/** The error for a path that no route has. */
export function unknownPath({ baseUrl, path }: Request): ServiceError {
  return new ServiceError(
    'ROUTE_NOT_FOUND',
    `Unknown path ${describe(baseUrl + path)}; /openapi.json lists all paths.`,
  );
}

/** Answers 404 to a path that no route has. */
export const notFound: RequestHandler = (request) => {
  throw unknownPath(request);
};

/** Answers an error with the one error body; an answer that has begun is cut instead, so that it never looks whole. */
export type AnswerError = (thrown: unknown, exchange: Exchange) => void;

/** Makes the function that answers errors. */
export function errorAnswers(log: Logger): AnswerError {
  return (thrown, { requestId, response }) => {
    // The caller is gone, and what was begun for it has been canceled: nobody to answer, nothing to report.
    if (response.destroyed || response.closed) return;
    const error = toServiceError(thrown);
    if (error.code === 'INTERNAL') log.error({ requestId, err: thrown }, 'unexpected error');
    if (error.code === 'UNAVAILABLE') log.warn({ requestId, err: error.cause ?? thrown }, 'unavailable');
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const { status, headers, body } = errorAnswer(error, requestId);
    for (const name of ['ETag', 'Link', 'Location', 'Content-Disposition', 'Content-Length', 'Content-Encoding'])
      response.removeHeader(name);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    sendJson(response, body, status);
  };
}

/** Answers what handlers throw. */
export function errorHandler(answer: AnswerError): ErrorRequestHandler {
  return (thrown: unknown, request, _response, _next) => {
    answer(thrown, request.exchange);
  };
}
