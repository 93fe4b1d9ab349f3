import { randomUUID } from 'node:crypto';
import { createServer, STATUS_CODES, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { errorAnswer } from '@esd/service/error-body';
import { ServiceError } from '@esd/service/errors';

const HEADERS_MS = 10_000;
const REQUEST_MS = 60_000;
// Longer than the usual minute of load balancers, so that they close first.
const KEEP_ALIVE_MS = 65_000;
const SILENT_MS = 60_000;

/**
 * The public HTTP server: headers within 10 s, a whole request within 60 s, a connection on which nothing moves for
 * 60 s is cut. What is no HTTP at all is answered with the one error body too.
 */
export function publicServer(app: RequestListener): Server {
  const answers = new WeakMap<Socket, ServerResponse>();
  const server = createServer({ headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS }, (request, response) => {
    answers.set(request.socket, response);
    app(request, response);
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.setTimeout(SILENT_MS);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const answer = answers.get(socket);
    const hasBegun = answer !== undefined && answer.headersSent && !answer.writableFinished;
    if (error.code === 'ECONNRESET' || !socket.writable || hasBegun) socket.destroy();
    else socket.end(rawAnswer(error.code));
  });
  return server;
}

function rawAnswer(reason: string | undefined): string {
  const requestId = randomUUID();
  const { status, headers, body } = errorAnswer(new ServiceError('INVALID_REQUEST', messageOf(reason)), requestId);
  const text = JSON.stringify(body);
  const lines = Object.entries({
    ...headers,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(text)),
    'X-Request-Id': requestId,
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${text}`;
}

function messageOf(reason: string | undefined): string {
  switch (reason) {
    case 'HPE_HEADER_OVERFLOW':
      return 'The request line and the headers together are larger than 16 KB.';
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 'The request did not arrive in time.';
    default:
      return 'What arrived is not a whole HTTP request.';
  }
}
