import type { IncomingMessage, ServerResponse } from 'node:http';
import { ATTRIBUTE, errorType, type OpenSpan, startSpan, TRACEPARENT } from '../health/traces.ts';
import { HTTP_METHODS } from '../names/http-methods.ts';

/**
 * Starts the SERVER span of a request, which ends with its response. `routeOf` returns the pattern of the route, if there is
 * one, after the response.
 */
export function startRequestSpan(
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  routeOf: () => string | undefined,
): OpenSpan {
  const { method = '', url = '' } = request;
  const isKnown = HTTP_METHODS.includes(method);
  const name = isKnown ? method : 'HTTP';
  const span = startSpan({
    kind: 'SERVER',
    name,
    attributes: () => ({
      [ATTRIBUTE.httpMethod]: isKnown ? method : '_OTHER',
      // Another form of the target, such as a whole URL, can contain credentials.
      ...(url.startsWith('/') ? { [ATTRIBUTE.urlPath]: url.split('?', 1)[0] ?? '' } : {}),
      [ATTRIBUTE.requestId]: requestId,
    }),
    contexts: [request.headers[TRACEPARENT]],
  });
  if (span.traceparent === undefined) return span;
  response.once('close', () => {
    const route = routeOf();
    if (route !== undefined) span.setName(`${name} ${route}`, { [ATTRIBUTE.httpRoute]: route });
    endHttpSpan(span, response.headersSent ? response.statusCode : undefined);
  });
  return span;
}

/** Starts the span of an attempt to call an internal HTTP endpoint at a base URL. */
export function startHttpCall(method: string, baseUrl: string): OpenSpan {
  return startSpan({
    kind: 'CLIENT',
    name: method,
    attributes: () => ({
      [ATTRIBUTE.httpMethod]: method,
      [ATTRIBUTE.serverAddress]: URL.parse(baseUrl)?.hostname ?? '',
    }),
  });
}

/** Ends the span of a request with the status of its response, or with the error that prevented one. */
export function endHttpSpan(span: OpenSpan, status: number | undefined, failure?: unknown): void {
  if (status !== undefined) span.end({ [ATTRIBUTE.httpStatus]: status }, status < 500 ? undefined : String(status));
  else span.end({}, failure === undefined ? undefined : errorType(failure));
}
