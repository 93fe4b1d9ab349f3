import type { Request } from 'express';
import { describe } from '@esd/record/validate/problems';
import { errorResponse } from '@esd/service/http/error-body';
import type { Logger } from '@esd/service/health/log';
import { ServiceError, toServiceError } from '@esd/service/errors';
import { Overloaded } from '@esd/service/rpc/call-limit';
import type { Exchange } from './exchange.ts';
import { rejectedRequests } from './metrics.ts';
import { sendJson } from './send-json.ts';

export function unknownPath({ baseUrl, path }: Request): ServiceError {
  return new ServiceError(
    'ROUTE_NOT_FOUND',
    `There is no page or API path ${describe(baseUrl + path)}; /openapi.json lists all API paths.`,
  );
}

/**
 * Creates the function that sends error bodies. A response that has begun is aborted instead, so that it never looks
 * complete.
 */
export function errorResponses(log: Logger): (thrown: unknown, exchange: Exchange) => void {
  return (thrown, { requestId, response }) => {
    // The caller has disconnected and its calls were aborted: nothing to send, nothing to report.
    if (response.destroyed || response.closed) return;
    const error = toServiceError(thrown);
    if (error.code === 'INTERNAL') log.error({ requestId, err: thrown }, 'unexpected error');
    // Refusals are cheap: the access log and a metric count them.
    if (error instanceof Overloaded) rejectedRequests.inc({ reason: 'overload' });
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
