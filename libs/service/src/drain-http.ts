import type { Server } from 'node:http';
import type { Socket } from 'node:net';

const SWEEP_MS = 100;

/**
 * Makes the drain of a server that does not listen yet: it stops taking connections, waits for the answers that run, and
 * cuts what is left after `seconds`.
 */
export function httpDrain(server: Server): (seconds: number) => Promise<void> {
  // Connections on which no request came yet: Node takes them for busy, and browsers open them in advance.
  const unused = new Set<Socket>();
  server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.on('request', ({ socket }) => unused.delete(socket));
  return async (seconds) => {
    for (const socket of unused) socket.destroy();
    // close() ends the connections that are idle now; those that become idle later have to be swept.
    const sweep = setInterval(() => {
      server.closeIdleConnections();
    }, SWEEP_MS);
    const force = setTimeout(() => {
      server.closeAllConnections();
    }, seconds * 1000);
    await new Promise<void>((resolve) => {
      server.close(() => {
        resolve();
      });
    });
    clearTimeout(force);
    clearInterval(sweep);
  };
}
