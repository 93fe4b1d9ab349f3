import type { Server, ServerResponse } from 'node:http';
import { Server as TlsServer } from 'node:https';
import { Server as NetServer, type Socket } from 'node:net';

const GRACE_MS = 1_000;
const SWEEP_MS = 100;

/**
 * Creates the drain function of a server that does not listen yet. It stops accepting connections, waits for running
 * responses, and closes the rest after `seconds`. Responses close their connections. Idle connections close after a second
 * (or half of `seconds`, if that is less), because a request may be in transit. `others` accept connections for the server.
 */
export function httpDrain(server: Server, others: readonly NetServer[] = []): (seconds: number) => Promise<void> {
  // Connections without a request, which browsers open in advance. Node does not count them as idle.
  const unused = new Set<Socket>();
  const running = new Set<ServerResponse>();
  let draining = false;
  // With TLS, the socket of a request is the decrypting one.
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.prependListener('request', ({ socket }, response) => {
    unused.delete(socket);
    if (draining) response.shouldKeepAlive = false;
    running.add(response);
    // Handlers must not reach the limit because of the listener added here.
    response.setMaxListeners(response.getMaxListeners() + 1);
    response.once('close', () => running.delete(response));
  });
  return async (seconds) => {
    draining = true;
    for (const response of running) response.shouldKeepAlive = false;
    let sweep: NodeJS.Timeout | undefined;
    const grace = setTimeout(
      () => {
        for (const socket of unused) socket.destroy();
        // Closes connections that become idle later.
        sweep = setInterval(() => {
          server.closeIdleConnections();
        }, SWEEP_MS);
        server.closeIdleConnections();
      },
      Math.min(GRACE_MS, (seconds * 1000) / 2),
    );
    const force = setTimeout(() => {
      server.closeAllConnections();
    }, seconds * 1000);
    const closed = [server, ...others].map(
      (one) =>
        new Promise<void>((resolve) => {
          // `close` of the HTTP server would end idle connections immediately.
          NetServer.prototype.close.call(one, () => {
            resolve();
          });
        }),
    );
    await Promise.all(closed);
    // Ends the timer that checks connections, which otherwise retains the server.
    server.close();
    clearTimeout(grace);
    clearTimeout(force);
    clearInterval(sweep);
  };
}
