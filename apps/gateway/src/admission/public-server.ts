import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createNetServer, type Server as NetServer, type Socket } from 'node:net';
import { ALLOWANCES } from '@esd/api/allowances';
import type { ListenAddress } from '@esd/service/config';
import { ServiceError } from '@esd/service/errors';
import { type ConnectionConfig, limitConnections } from './connection-limit.ts';
import { rawResponse } from '../http/raw-response.ts';
import { watchSlowSenders } from './slow-senders.ts';

// Longer than the usual minute of load balancers, so that they close first.
const KEEP_ALIVE_MS = 65_000;
const SILENT_MS = 60_000;
const CHECK_MS = 1_000;
// Connections that wait in the kernel, also while a garbage collection delays the process. Clients would give up in a longer queue.
const BACKLOG = 1_024;
// Node would listen on only one of the two addresses of this name.
const LOOPBACK = 'localhost';
/** Errors of a system without IPv6. */
const NO_IPV6 = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'];
const TOO_SLOW = 'ERR_HTTP_REQUEST_TIMEOUT';

/** Creates the public server. Bodies must not arrive too slowly. Data that is not HTTP also gets the error body. */
export function publicServer(app: RequestListener, config: ConnectionConfig): Server {
  const answers = new WeakMap<Socket, ServerResponse>();
  const times = {
    headersTimeout: ALLOWANCES.connections.headerTime.amount * 1000,
    requestTimeout: ALLOWANCES.connections.requestTime.amount * 1000,
    // How often both timeouts are checked; 30 s by default.
    connectionsCheckingInterval: CHECK_MS,
  };
  const receive: RequestListener = (request, response) => {
    // The last response on this connection has been sent.
    if (!request.socket.writable) return;
    answers.set(request.socket, response);
    app(request, response);
  };
  const server = createServer(times, receive);
  // The reader of the body sends 100 Continue. Without it, the client may or may not send the body after the response.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    response.shouldKeepAlive = false;
    receive(request, response);
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.setTimeout(SILENT_MS);
  limitConnections(server, config);
  const refuse = (socket: Socket, reason: string | undefined): void => {
    const answer = answers.get(socket);
    const hasBegun = answer !== undefined && answer.headersSent && !answer.writableFinished;
    // A browser that opened the connection in advance takes a response without a request for the response to its next request.
    const isUnused = socket.bytesRead === 0;
    if (reason === 'ECONNRESET' || !socket.writable || hasBegun || isUnused) socket.destroy();
    else socket.end(rawResponse(new ServiceError('INVALID_REQUEST', messageOf(reason))));
  };
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    refuse(socket, error.code);
  });
  watchSlowSenders(server, (socket, response) => {
    // The response has been sent, so the rest of the body is useless.
    if (response.headersSent) socket.destroy();
    else refuse(socket, TOO_SLOW);
  });
  return server;
}

function messageOf(reason: string | undefined): string {
  switch (reason) {
    case 'HPE_HEADER_OVERFLOW':
      return 'The request line and headers must not exceed 16 KB in total.';
    case TOO_SLOW:
      return 'The request took too long to arrive.';
    default:
      return 'The data received is not a complete HTTP request.';
  }
}

/** Creates the socket that accepts connections to ::1 for a server of `localhost`. */
export function loopbackServer(server: Server): NetServer {
  return createNetServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit('connection', socket));
}

/** Listens at an address, at both addresses of `localhost`, and returns the port. Throws if another process uses the port. */
export async function listen(server: Server, loopback6: NetServer, address: ListenAddress): Promise<number> {
  const isLoopback = address.host === LOOPBACK;
  server.listen({ ...address, ...(isLoopback && { host: '127.0.0.1' }), backlog: BACKLOG });
  await once(server, 'listening');
  const bound = server.address();
  if (typeof bound !== 'object' || bound === null) throw new Error('the public server has no port');
  if (isLoopback) {
    try {
      loopback6.listen({ host: '::1', port: bound.port, backlog: BACKLOG });
      await once(loopback6, 'listening');
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && NO_IPV6.includes(String(error.code)))) throw error;
    }
  }
  return bound.port;
}
