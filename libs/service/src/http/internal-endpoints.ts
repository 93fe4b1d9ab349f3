import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../auth/caller-assertion.ts';
import { UnsatisfiableRange } from './byte-range.ts';
import type { CallGuard } from '../auth/call-guard.ts';
import { type ClientKey, clientOf } from '../quota-client.ts';
import { errorResponse } from './error-body.ts';
import { type ErrorItem, ServiceError, toServiceError } from '../errors.ts';
import type { HttpHandler } from './internal-http.ts';
import type { Logger } from '../health/log.ts';
import { httpTargetOf } from '../auth/call-target.ts';
import { METADATA } from '../rpc/rpc-metadata.ts';
import { startRequestSpan } from './http-span.ts';

export interface EndpointCall {
  requestId: string;
  /** The values of the named groups of the route's pattern. */
  parameters: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** The header with the request message (see `readStreamRequest`), for endpoints that have one. */
  streamRequest: string | undefined;
  /** Undefined without a credential. */
  caller: Caller | undefined;
  /** The IP address of the gateway's client. */
  clientIp: string | undefined;
  client: ClientKey;
  header: (name: string) => string | undefined;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
}

/** Sends the response. May throw ServiceError before it sends headers. */
export type EndpointHandler = (call: EndpointCall, request: IncomingMessage, response: ServerResponse) => Promise<void>;

export interface Endpoint {
  methods: readonly string[];
  path: RegExp;
  handle: EndpointHandler;
}

/** Invalid members of a form, each with its path. */
export class FormError extends ServiceError {
  constructor(errors: ErrorItem[]) {
    const message = errors.map(({ path, message }) => `${path}: ${message}`).join(' ');
    super('VALIDATION_FAILED', message, { details: { errors, errorCount: errors.length } });
  }
}

/**
 * Creates the handler of the paths that the gateway proxies as byte streams. `guard` admits the peers. An error before
 * the headers becomes an error body; a later one destroys the connection, so that the response never looks complete.
 */
export function internalEndpoints(
  routes: readonly Endpoint[],
  { guard, log }: { guard: CallGuard; log: Logger },
): HttpHandler {
  const answer = async (
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
    onRoute: (pattern: string) => void,
  ): Promise<void> => {
    const gone = new AbortController();
    response.once('close', () => {
      if (!response.writableFinished) gone.abort();
    });
    try {
      const url = URL.parse(request.url ?? '/', 'http://internal');
      const { caller } = guard({
        target: httpTargetOf(url?.pathname ?? ''),
        method: request.method ?? '',
        header: (name) => header(request, name),
      });
      if (!url) throw new ServiceError('ROUTE_NOT_FOUND', 'This path does not exist.');
      const { pathname, searchParams } = url;
      const known = routes.filter(({ path }) => path.exec(pathname)?.[0] === pathname);
      if (known.length === 0) throw new ServiceError('ROUTE_NOT_FOUND', `The path ${pathname} does not exist.`);
      const route = known.find(({ methods }) => methods.includes(request.method ?? ''));
      if (!route) {
        const methods = known.flatMap((one) => one.methods).join(' and ');
        throw new ServiceError(
          'METHOD_NOT_ALLOWED',
          `${request.method ?? 'This method'} is not allowed for ${pathname}; use ${methods}.`,
        );
      }
      onRoute(route.path.source);
      const parameters = { ...route.path.exec(pathname)?.groups };
      const clientIp = header(request, METADATA.clientIp);
      const client = clientOf({ caller, clientIp });
      const call = {
        requestId,
        parameters,
        query: searchParams,
        streamRequest: header(request, METADATA.streamRequest),
        caller,
        clientIp,
        client,
        header: (name: string) => header(request, name),
        signal: gone.signal,
      };
      await route.handle(call, request, response);
    } catch (thrown) {
      if (response.destroyed) return;
      const error = toServiceError(thrown);
      if (error.code === 'INTERNAL') log.error({ requestId, err: thrown }, 'unexpected error');
      if (error.code === 'UNAVAILABLE') log.warn({ requestId, err: error.cause ?? thrown }, 'unavailable');
      if (response.headersSent) {
        response.destroy();
        return;
      }
      const { status, headers, body } = errorResponse(error, requestId);
      for (const name of response.getHeaderNames()) response.removeHeader(name);
      if (error instanceof UnsatisfiableRange) response.setHeader('Content-Range', error.contentRange);
      response.writeHead(status, { ...headers, 'Content-Type': 'application/json; charset=utf-8' });
      response.end(JSON.stringify(body));
    }
  };
  return (request, response) => {
    const requestId = header(request, METADATA.requestId) ?? 'none';
    let pattern: string | undefined;
    const onRoute = (source: string): void => {
      pattern = source;
    };
    return startRequestSpan(request, response, requestId, () => pattern).run(() =>
      answer(request, response, requestId, onRoute),
    );
  };
}

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}
