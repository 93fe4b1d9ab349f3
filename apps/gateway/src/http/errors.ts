import type { ErrorRequestHandler, Request, RequestHandler } from 'express';
import { describe } from '@esd/record/validate/problems';
import { errorResponse } from '@esd/service/http/error-body';
import type { Logger } from '@esd/service/health/log';
import { ServiceError, toServiceError } from '@esd/service/errors';
import { Overloaded } from '@esd/service/rpc/call-limit';
import type { Exchange } from './exchange.ts';
import { sendJson } from './send-json.ts';

export function unknownPath({ baseUrl, path }: Request): ServiceError {
  return new ServiceError(
    'ROUTE_NOT_FOUND',
    `There is no page or API path ${describe(baseUrl + path)}; /openapi.json lists all API paths.`,
  );
}

export const notFound: RequestHandler = (request) => {
  throw unknownPath(request);
};

/** Sends an error body. A response that has begun is aborted instead, so that it never looks complete. */
export type AnswerError = (thrown: unknown, exchange: Exchange) => void;

/** Creates the function that sends error bodies. `onOverload` is called for each refusal because of a full queue. */
export function errorAnswers(
  log: Logger,
  onOverload: (error: Overloaded, exchange: Exchange) => void = () => undefined,
): AnswerError {
  return (thrown, exchange) => {
    const { requestId, response } = exchange;
    // The caller has disconnected and its calls were aborted: nothing to send, nothing to report.
    if (response.destroyed || response.closed) return;
    const error = toServiceError(thrown);
    if (error.code === 'INTERNAL') log.error({ requestId, err: thrown }, 'unexpected error');
    // Refusals are cheap: the access log and a metric count them.
    if (error instanceof Overloaded) onOverload(error, exchange);
    else if (error.code === 'UNAVAILABLE') log.warn({ requestId, err: error.cause ?? thrown }, 'unavailable');
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const { status, headers, body } = errorResponse(error, requestId);
    for (const name of ['ETag', 'Link', 'Location', 'Content-Disposition', 'Content-Length', 'Content-Encoding'])
      response.removeHeader(name);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    sendJson(response, body, status);
  };
}

export function errorHandler(answer: AnswerError): ErrorRequestHandler {
  return (thrown: unknown, request, _response, _next) => {
    answer(thrown, request.exchange);
  };
}
