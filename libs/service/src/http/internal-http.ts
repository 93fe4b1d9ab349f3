import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ListenAddress } from '../config.ts';
import { httpDrain } from './drain-http.ts';
import { METRICS_TYPE, metricsText } from '../health/metrics.ts';
import type { Readiness } from '../health/readiness.ts';
import type { Tls } from '../auth/tls.ts';
import { MAX_INTERNAL_HEADER_BYTES } from './stream-request.ts';

export type HttpHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export interface InternalHttp {
  port: number;
  /** Stops accepting connections, waits for running responses, and closes them after `seconds`. */
  drain(seconds: number): Promise<void>;
}

const HANDSHAKE_MS = 5_000;
const STATUS_MS = 2_000;

/**
 * Starts the internal HTTP port of a process: GET /health (liveness), /ready (dependencies, 503 if not ready), /status,
 * /metrics, and the paths of `handler`. With `tls`, accepts HTTPS only.
 */
export async function startInternalHttp(
  listen: ListenAddress,
  readiness: Pick<Readiness, 'current'> & { status?: (signal: AbortSignal) => Promise<object> },
  handler?: HttpHandler,
  tls?: Tls,
): Promise<InternalHttp> {
  const limits = {
    requestTimeout: 60_000,
    headersTimeout: 10_000,
    connectionsCheckingInterval: 1_000,
    maxHeaderSize: MAX_INTERNAL_HEADER_BYTES,
  };
  const answer: RequestListener = (request, response) => {
    void (async () => {
      const path = (request.url ?? '/').split('?', 1)[0];
      if (request.method === 'GET' && path === '/health') return sendJson(response, 200, { status: 'UP' });
      if (request.method === 'GET' && path === '/ready') {
        const state = readiness.current();
        // The launcher compares it with the process that it started, because another process may use the port.
        response.setHeader('x-process-id', process.pid);
        return sendJson(response, state.ready ? 200 : 503, state);
      }
      if (request.method === 'GET' && path === '/status' && readiness.status) {
        return sendJson(response, 200, await readiness.status(AbortSignal.timeout(STATUS_MS)));
      }
      if (request.method === 'GET' && path === '/metrics') {
        response.setHeader('content-type', METRICS_TYPE);
        return response.end(await metricsText());
      }
      if (handler) return handler(request, response);
      return sendJson(response, 404, { message: 'no such path' });
    })().catch(() => {
      response.destroy();
    });
  };
  const server = tls
    ? createTlsServer({ ...limits, cert: tls.cert, key: tls.key, handshakeTimeout: HANDSHAKE_MS }, answer)
    : createServer(limits, answer);
  server.keepAliveTimeout = 65_000;
  const drain = httpDrain(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(listen.port, listen.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    drain,
  };
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
