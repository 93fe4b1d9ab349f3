import type { Server, ServerResponse } from 'node:http';
import { Server as TlsServer } from 'node:https';
import { Server as NetServer, type Socket } from 'node:net';

const GRACE_MS = 1_000;
const SWEEP_MS = 100;

/**
 * Makes the drain of a server that does not listen yet: it stops taking connections, waits for the answers that run, and
 * cuts what is left after `seconds`. Answers ask their connections to close; one without a request is ended after a
 * second (half of `seconds`, where that is less), because a request may be on its way in it.
 */
export function httpDrain(server: Server): (seconds: number) => Promise<void> {
  // Connections on which no request came yet: Node takes them for busy, and browsers open them in advance.
  const unused = new Set<Socket>();
  const running = new Set<ServerResponse>();
  let draining = false;
  // With TLS, requests have the socket that decrypts.
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  // Before the handlers.
  server.prependListener('request', ({ socket }, response) => {
    unused.delete(socket);
    if (draining) response.shouldKeepAlive = false;
    running.add(response);
    // Handlers listen to it in several places.
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
        // Those that become idle later have to be swept.
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
    await new Promise<void>((resolve) => {
      // That of the HTTP server would end idle connections at once.
      NetServer.prototype.close.call(server, () => {
        resolve();
      });
    });
    clearTimeout(grace);
    clearTimeout(force);
    clearInterval(sweep);
  };
}
