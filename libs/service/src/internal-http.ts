import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ListenAddress } from './config.ts';
import { httpDrain } from './drain-http.ts';
import { metrics } from './metrics.ts';
import type { Readiness } from './readiness.ts';

export type HttpHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export interface InternalHttp {
  port: number;
  /** Stops taking connections, waits for answers that run, cuts them after `seconds`. */
  drain(seconds: number): Promise<void>;
}

/**
 * The internal HTTP port of a process: GET /health (the process lives), /ready (its dependencies by name, 503 when
 * it cannot work), /metrics, and whatever `handler` adds.
 */
export async function startInternalHttp(
  listen: ListenAddress,
  readiness: Readiness,
  handler?: HttpHandler,
): Promise<InternalHttp> {
  const times = { requestTimeout: 60_000, headersTimeout: 10_000, connectionsCheckingInterval: 1_000 };
  const server = createServer(times, (request, response) => {
    void (async () => {
      const path = (request.url ?? '/').split('?', 1)[0];
      if (request.method === 'GET' && path === '/health') return sendJson(response, 200, { status: 'UP' });
      if (request.method === 'GET' && path === '/ready') {
        const state = readiness.current();
        return sendJson(response, state.ready ? 200 : 503, state);
      }
      if (request.method === 'GET' && path === '/metrics') {
        response.setHeader('content-type', metrics.contentType);
        return response.end(await metrics.metrics());
      }
      if (handler) return handler(request, response);
      return sendJson(response, 404, { message: 'no such path' });
    })().catch(() => {
      response.destroy();
    });
  });
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
