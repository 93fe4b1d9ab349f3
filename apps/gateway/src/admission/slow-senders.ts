import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ALLOWANCES } from '@esd/api/allowances';
import { hasBody } from '../http/has-body.ts';

const CHECK_MS = 1_000;
const GRACE_MS = ALLOWANCES.connections.slowTime.amount * 1000;
// KB/s
const MIN_BYTES_PER_MS = ALLOWANCES.connections.speed.amount;

interface Arriving {
  socket: Socket;
  response: ServerResponse;
  /** Bytes received on the connection before the request. */
  before: number;
  waitedMs: number;
}

/**
 * Calls `cut` for each request body that arrives too slowly on average; checks every second. Time in
 * which received bytes wait to be read does not count, unless the response has begun.
 */
export function watchSlowSenders(server: Server, cut: (socket: Socket, response: ServerResponse) => void): void {
  const arriving = new Map<IncomingMessage, Arriving>();
  // Runs before the listener that answers.
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    if (hasBody(request)) arriving.set(request, { socket, response, before: socket.bytesRead, waitedMs: 0 });
  });
  const timer = setInterval(() => {
    for (const [request, sender] of arriving) {
      const { socket, response, before } = sender;
      if (request.complete || socket.destroyed) {
        arriving.delete(request);
        continue;
      }
      if (request.readableLength > 0 && !response.headersSent) continue;
      sender.waitedMs += CHECK_MS;
      const isSlow = socket.bytesRead - before < sender.waitedMs * MIN_BYTES_PER_MS;
      if (sender.waitedMs > GRACE_MS && isSlow) cut(socket, response);
    }
  }, CHECK_MS).unref();
  server.once('close', () => {
    clearInterval(timer);
  });
}
