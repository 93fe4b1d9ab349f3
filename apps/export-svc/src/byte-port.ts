import type { IncomingMessage, ServerResponse } from 'node:http';
import { UnsatisfiableRange } from '@esd/service/byte-range';
import { errorAnswer } from '@esd/service/error-body';
import { ServiceError, toServiceError } from '@esd/service/errors';
import type { HttpHandler } from '@esd/service/internal-http';
import type { Logger } from '@esd/service/log';
import { METADATA, provenPeer } from '@esd/service/rpc-metadata';

/** What a handler of the byte port knows of its call. */
export interface ByteCall {
  requestId: string;
  query: URLSearchParams;
  /** A state of the dataset that the caller has seen: the answer is of that one or a newer one. */
  stateSeen: { datasetId: string; revision: number } | undefined;
  /** Aborts when the caller is gone. */
  signal: AbortSignal;
}

/** Answers GET and HEAD of one path, or POST; throws ServiceError. */
export type ByteHandler = (call: ByteCall, request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * The paths that the gateway passes on as byte streams, for processes that prove themselves with a service token. An
 * error before the answer has begun gets the one error body; an answer that breaks off is cut, so that it never looks
 * whole.
 */
export function bytePort(
  downloads: Readonly<Record<string, ByteHandler>>,
  peers: ReadonlyMap<string, string>,
  log: Logger,
  uploads: Readonly<Record<string, ByteHandler>> = {},
): HttpHandler {
  return async (request, response) => {
    const requestId = header(request, METADATA.requestId) ?? 'none';
    const gone = new AbortController();
    response.once('close', () => {
      if (!response.writableFinished) gone.abort();
    });
    try {
      if (!provenPeer(header(request, METADATA.service), header(request, METADATA.serviceToken), peers)) {
        throw new Error('a process without a known service token called');
      }
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://byte-port');
      const isUpload = Object.hasOwn(uploads, pathname);
      const known = isUpload ? uploads : downloads;
      const handler = Object.hasOwn(known, pathname) ? known[pathname] : undefined;
      if (!handler) throw new ServiceError('ROUTE_NOT_FOUND', `There is nothing at ${pathname}.`);
      const methods = isUpload ? ['POST'] : ['GET', 'HEAD'];
      if (!methods.includes(request.method ?? '')) {
        throw new ServiceError(
          'METHOD_NOT_ALLOWED',
          `${request.method ?? 'This'} is not possible here; the path takes ${methods.join(' and ')}.`,
        );
      }
      const stateSeen = readState(header(request, METADATA.stateSeen));
      await handler({ requestId, query: searchParams, stateSeen, signal: gone.signal }, request, response);
    } catch (thrown) {
      if (response.destroyed) return;
      const error = toServiceError(thrown);
      if (error.code === 'INTERNAL') log.error({ requestId, err: thrown }, 'unexpected error');
      if (error.code === 'UNAVAILABLE') log.warn({ requestId, err: error.cause ?? thrown }, 'unavailable');
      if (response.headersSent) {
        response.destroy();
        return;
      }
      const { status, headers, body } = errorAnswer(error, requestId);
      for (const name of response.getHeaderNames()) response.removeHeader(name);
      if (error instanceof UnsatisfiableRange) response.setHeader('Content-Range', error.contentRange);
      response.writeHead(status, { ...headers, 'Content-Type': 'application/json; charset=utf-8' });
      response.end(JSON.stringify(body));
    }
  };
}

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}

function readState(text: string | undefined): ByteCall['stateSeen'] {
  const [, datasetId, revision] = /^([^.]+)\.(\d{1,15})$/.exec(text ?? '') ?? [];
  return datasetId === undefined ? undefined : { datasetId, revision: Number(revision) };
}
